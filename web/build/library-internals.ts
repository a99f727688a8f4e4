/**
 * Private parts of Mantine and Rolldown: paths of their modules. `test/web/app/library-internals.test.ts` fails when an upgrade
 * changes them.
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

/** The module that Rolldown adds for CommonJS modules. */
export const ROLLDOWN_RUNTIME = '\0rolldown/runtime.js';
