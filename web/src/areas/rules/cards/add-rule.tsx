/** Adds a rule at the end of a list, and opens it. */
import { useQuery } from '@tanstack/react-query';
import { readSource } from '../../../../../src/platform/json/source-values.ts';
import { Menu } from '../../../shared/design/menus/menu.tsx';
import { signInOptionsQuery } from '../../../shared/session/session.ts';
import { newBlock, type BlockType } from '../document/new-blocks.ts';
import { addBlock } from '../document/rule-edits.ts';
import { useEditing } from '../editing.ts';
import { rules as text } from '../text.ts';
import classes from './rule-card.module.css';

const TYPES: readonly BlockType[] = ['cel', 'branch', 'always', 'webhook', 'llm_judge'];

export function AddRule({
  list,
  isSmall = false,
}: {
  readonly list: string;
  readonly isSmall?: boolean;
}) {
  const { edit, setOpen, textNow, endpointsMissing } = useEditing();
  const { data: options } = useQuery(signInOptionsQuery);
  // Models judge only there.
  const types = TYPES.filter((type) => type !== 'llm_judge' || options?.edition === 'hosted');
  const add = (type: BlockType) => () => {
    const index = readSource(textNow())?.at(list)?.size ?? 0;
    edit((all) => addBlock(all, { list, index }, newBlock(type)));
    setOpen(`${list}/${index}`);
  };
  return (
    <div className={classes['add']}>
      <Menu
        label={isSmall ? text.addHere : text.add}
        entries={types.map((type) => ({
          label: text.types[type],
          onSelect: add(type),
          ...(type === 'webhook' && endpointsMissing && { disabledReason: text.noSecretsKey }),
        }))}
      >
        <span className={classes['adding']}>+ {isSmall ? text.addHere : text.add}</span>
      </Menu>
    </div>
  );
}
