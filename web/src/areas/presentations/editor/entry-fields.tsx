/** For which calls a presentation is, its title, and its fields. */
import { LinkButton } from '../../../shared/design/buttons/link-button.tsx';
import { TextBox } from '../../../shared/design/fields/text-box.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import { editor as text } from '../text.ts';
import type { Editing } from './editing.ts';
import { addFields, setText, type EntryView } from './entry.ts';
import { FieldCard } from './field-card.tsx';
import classes from './editor.module.css';

interface EntryFieldsProps extends Editing {
  readonly entry: EntryView;
}

export function EntryFields({ entry, ...editing }: EntryFieldsProps) {
  const { edit, problemAt, isReadOnly } = editing;
  const shared = (member: 'tool' | 'server') => ({
    value: entry[member],
    pointer: `/${member}`,
    problem: problemAt(`/${member}`),
    isDisabled: isReadOnly,
    isMono: true,
    onChange: (value: string) => {
      edit(setText(`/${member}`, value, { isOptional: member === 'server' }), member);
    },
  });
  return (
    <div className={classes['form']}>
      <Panel title={text.calls}>
        <div className={classes['row']}>
          <TextBox label={text.tool} description={text.toolHint} {...shared('tool')} />
          <TextBox label={text.server} description={text.serverHint} {...shared('server')} />
        </div>
      </Panel>
      <Panel title={text.sentence}>
        <Title entry={entry} {...editing} />
      </Panel>
      <Panel title={text.fields} hint={text.fieldsHint}>
        <Fields entry={entry} {...editing} />
      </Panel>
    </div>
  );
}

const MOST_INSERTS = 12;

function Title({ entry: { title }, edit, problemAt, proposals, isReadOnly }: EntryFieldsProps) {
  const missing = proposals.filter(({ path }) => !title.includes(`{${path}}`));
  return (
    <>
      <TextBox
        label={text.sentence}
        isLabelHidden
        description={text.sentenceHint}
        value={title}
        pointer="/title"
        problem={problemAt('/title')}
        isDisabled={isReadOnly}
        onChange={(value) => {
          edit(setText('/title', value), 'title');
        }}
      />
      {!isReadOnly && missing.length > 0 && (
        <p className={classes['inserts']}>
          {text.insert}{' '}
          {missing.slice(0, MOST_INSERTS).map(({ path }) => (
            <button
              key={path}
              type="button"
              aria-label={text.insertOf(path)}
              onClick={() => {
                const space = title === '' || title.endsWith(' ') ? '' : ' ';
                edit(setText('/title', `${title}${space}{${path}}`));
              }}
            >
              <bdi>{path}</bdi>
            </button>
          ))}
        </p>
      )}
    </>
  );
}

/** As many as an entry can have. */
const MOST_FIELDS = 50;

function Fields({ entry: { fields }, ...editing }: EntryFieldsProps) {
  const { edit, proposals, isReadOnly, problemAt } = editing;
  const shown = new Set(fields.map(({ path }) => path));
  const missing = proposals
    .filter(({ path }) => !shown.has(path))
    .slice(0, MOST_FIELDS - fields.length);
  return (
    <>
      {fields.length === 0 && <p className={classes['soft']}>{text.noFields}</p>}
      <ol className={classes['cards']}>
        {fields.map((field, index) => (
          <FieldCard key={index} {...editing} {...{ field, index }} count={fields.length} />
        ))}
      </ol>
      {problemAt('/fields') !== undefined && (
        <p className={classes['problem']}>{problemAt('/fields')}</p>
      )}
      {!isReadOnly && (
        <div className={classes['acts']}>
          {fields.length < MOST_FIELDS ? (
            <LinkButton
              onClick={() => {
                edit(addFields(fields.length, [{ path: '', label: '', kind: 'text' }]));
              }}
            >
              {text.add}
            </LinkButton>
          ) : (
            <span className={classes['soft']}>{text.mostFields}</span>
          )}
          {missing.length > 0 && (
            <LinkButton
              onClick={() => {
                const added = missing.map(({ example: _example, ...field }) => field);
                edit(addFields(fields.length, added));
              }}
            >
              {text.addAll(missing.length)}
            </LinkButton>
          )}
        </div>
      )}
    </>
  );
}
