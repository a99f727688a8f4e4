/**
 * Private parts of Mantine and Rolldown: paths of their modules. Without them, the queue needs 238 kB of scripts to appear instead of
 * 201. `test/web/app/library-internals.full.test.ts` fails when an upgrade changes them.
 */

/** Components that only forms draw. Mantine's index names all components, so imports do not say who needs one. */
export const FORM_COMPONENTS = [
  'ActionIcon',
  'CloseButton',
  'Input',
  'InputBase',
  'PasswordInput',
  'TextInput',
] as const;

export const MANTINE_COMPONENTS = '@mantine/core/esm/components/';

const FORMS = new RegExp(`${MANTINE_COMPONENTS}(?:${FORM_COMPONENTS.join('|')})/`);

export const isFormComponent = (moduleId: string): boolean => FORMS.test(moduleId);

/** What the first screens draw of Mantine beside forms. */
export const FIRST_COMPONENTS = ['Button', 'Loader', 'Transition', 'UnstyledButton'] as const;

const FIRST = new RegExp(`${MANTINE_COMPONENTS}(?:${FIRST_COMPONENTS.join('|')})/`);

/** What only menus and lists need of Mantine's hooks and functions. */
const LATER_PARTS =
  /@mantine\/(?:hooks\/esm\/(?:use-long-press|use-focus-trap|use-focus-return|use-click-outside)|core\/esm\/core\/utils\/(?:create-scoped-keydown-handler|find-element-in-shadow-dom|find-element-ancestor|get-context-item-index|close-on-escape))\//;

/** Menus, lists and what places them. Only screens for those who manage draw them. */
export const isLaterComponent = (moduleId: string): boolean =>
  moduleId.includes('node_modules/@floating-ui/') ||
  moduleId.includes('node_modules/react-remove-scroll') ||
  moduleId.includes('@mantine/core/esm/utils/Floating/') ||
  LATER_PARTS.test(moduleId) ||
  // Several reads at once.
  /@tanstack\/.*\/(?:queriesObserver|useQueries)\.js$/.test(moduleId) ||
  (moduleId.includes(MANTINE_COMPONENTS) && !FIRST.test(moduleId) && !FORMS.test(moduleId));

/** The module that Rolldown adds for CommonJS modules. */
export const ROLLDOWN_RUNTIME = '\0rolldown/runtime.js';
