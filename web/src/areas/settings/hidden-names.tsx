/** Which names of arguments hide their values, tried on arguments that someone writes. */
import { useMemo, useState } from 'react';
import { Button } from '../../shared/design/button.tsx';
import { shownCall } from '../../../../src/domain/shown/shown-call.ts';
import { readSource } from '../../../../src/platform/json/source-values.ts';
import { Checkbox } from '../../shared/design/fields/checkbox.tsx';
import { TextArea, TextBox } from '../../shared/design/fields/text-box.tsx';
import { Chip } from '../../shared/design/marks/badge.tsx';
import { JsonView } from '../../shared/exact/json-view.tsx';
import type { Terms } from './organization-data.ts';
import { SectionPanel } from './section-panel.tsx';
import { settings as text } from './text.ts';
import { useSection, type Section } from './use-section.ts';
import classes from './settings.module.css';

export function HiddenNames() {
  const section = useSection(['hidden_names']);
  const { shown, isReadOnly, set } = section;
  const { hidden_names: names } = shown;
  return (
    <SectionPanel
      title={text.hidden}
      hint={text.hiddenHint}
      section={section}
      effects={effectsOf(section)}
    >
      <Checkbox
        label={text.defaults}
        description={text.defaultsHint}
        isChecked={names.defaults}
        isDisabled={isReadOnly}
        onChange={(defaults) => {
          set({ hidden_names: { ...names, defaults } });
        }}
      />
      <MoreNames section={section} />
      <Example names={names} />
    </SectionPanel>
  );
}

function MoreNames({ section }: { readonly section: Section }) {
  const { shown, isReadOnly, problemAt, set } = section;
  const { hidden_names: names } = shown;
  const [typed, setTyped] = useState('');
  const name = typed.trim();
  const isThere = names.add.some((each) => each.toLowerCase() === name.toLowerCase());
  const add = () => {
    if (name === '' || isThere) return;
    set({ hidden_names: { ...names, add: [...names.add, name] } });
    setTyped('');
  };
  return (
    <div className={classes['names']}>
      <p className={classes['label']}>{text.more}</p>
      <ul className={classes['chips']}>
        {names.add.length === 0 && <li className={classes['soft']}>{text.noMore}</li>}
        {names.add.map((each) => (
          <li key={each}>
            <Chip
              {...(!isReadOnly && { removeLabel: text.remove(each) })}
              onRemove={() => {
                const add = names.add.filter((other) => other !== each);
                set({ hidden_names: { ...names, add } });
              }}
            >
              <bdi>{each}</bdi>
            </Chip>
          </li>
        ))}
      </ul>
      {!isReadOnly && (
        <div
          className={classes['adding']}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.target instanceof HTMLButtonElement) return;
            // It adds the name, and saves nothing.
            event.preventDefault();
            add();
          }}
        >
          <TextBox
            label={text.newName}
            description={text.newNameHint}
            maxLength={100}
            value={typed}
            problem={isThere ? text.alreadyThere : problemAt('hidden_names')}
            onChange={setTyped}
          />
          <Button isSecondary onClick={add}>
            {text.add}
          </Button>
        </div>
      )}
    </div>
  );
}

const SAMPLE = `{
  "customer": "Ada Pike",
  "amount": 49.90,
  "iban": "DE02120300000000202051",
  "gateway": {"apiKey": "k_live_1f7a", "max_tokens": 400},
  "note": "Cookie: session=9f2c"
}`;

function Example({ names }: { readonly names: Terms['hidden_names'] }) {
  const [written, write] = useState(SAMPLE);
  const whole = useMemo(() => {
    const value = readSource(written);
    return value?.kind === 'object' ? value : undefined;
  }, [written]);
  const hidden = useMemo(
    () => shownCall({ whole }, { presentation: undefined, hiddenNames: names }).hidden,
    [whole, names],
  );
  return (
    <div className={classes['example']}>
      <TextArea
        label={text.try}
        description={text.tryHint}
        isMono
        maxLength={4_000}
        value={written}
        problem={whole ? undefined : text.notJson}
        onChange={write}
      />
      {whole && (
        <div className={classes['tried']}>
          <p className={classes['label']}>{text.tried}</p>
          <JsonView value={whole} label={text.tried} hidden={hidden} />
        </div>
      )}
    </div>
  );
}

function effectsOf({ base, changed }: Section): readonly string[] {
  const { hidden_names: wanted } = changed;
  if (!wanted) return [];
  const { defaults, add } = base.hidden_names;
  const added = wanted.add.filter((each) => !add.includes(each));
  const removed = add.filter((each) => !wanted.add.includes(each));
  return [
    ...(wanted.defaults && !defaults ? [text.defaultsOn] : []),
    ...(!wanted.defaults && defaults ? [text.defaultsOff] : []),
    ...(added.length > 0 ? [text.nowHidden(added)] : []),
    ...(removed.length > 0 ? [text.nowShown(removed)] : []),
  ];
}
