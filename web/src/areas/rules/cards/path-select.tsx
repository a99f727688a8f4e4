/** Which escalation path finds a person. */
import { Select } from '../../../shared/design/fields/select.tsx';
import { problemAt } from '../../../shared/editor/problems.ts';
import { setOptionalText } from '../document/rule-edits.ts';
import { useEditing, type Named } from '../editing.ts';
import { rules as text } from '../text.ts';

interface PathSelectProps {
  readonly label: string;
  readonly pointer: string;
  readonly value: string | undefined;
  /** What no path means. */
  readonly none: string;
}

export function PathSelect({ label, pointer, value = '', none }: PathSelectProps) {
  const { edit, paths, isReadOnly, problems } = useEditing();
  return (
    <Select
      label={label}
      pointer={pointer}
      problem={problemAt(problems, pointer)}
      options={namedOptions(paths, { value, none })}
      value={value}
      isDisabled={isReadOnly}
      onChange={(key) => {
        edit((all) => setOptionalText(all, pointer, key));
      }}
    />
  );
}

export const namedOptions = (
  known: readonly Named[],
  { value, none }: { readonly value: string; readonly none: string },
) => [
  { value: '', label: none },
  ...known.map(({ key, name }) => ({ value: key, label: `${name} (${key})` })),
  ...(value === '' || known.some(({ key }) => key === value)
    ? []
    : [{ value, label: text.unknownName(value) }]),
];
