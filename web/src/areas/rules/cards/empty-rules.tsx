/** Where there is no rule yet: three to start from. */
import { Button } from '../../../shared/design/button.tsx';
import { Empty } from '../../../shared/page/empty.tsx';
import { addBlock } from '../document/rule-edits.ts';
import { startBlocks } from '../document/start-blocks.ts';
import { useEditing } from '../editing.ts';
import { rules as text } from '../text.ts';
import classes from './rule-card.module.css';

export function EmptyRules() {
  const { edit, isReadOnly, setOpen } = useEditing();
  return (
    <Empty title={text.emptyTitle}>
      {!isReadOnly && (
        <>
          <p>{text.emptyHint}</p>
          <div className={classes['add']}>
            {startBlocks.map((block) => (
              <Button
                key={block.id}
                isSecondary
                onClick={() => {
                  edit((all) => addBlock(all, { list: '/blocks', index: 0 }, block));
                  setOpen('/blocks/0');
                }}
              >
                {block.name}
              </Button>
            ))}
          </div>
        </>
      )}
    </Empty>
  );
}
