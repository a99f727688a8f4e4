/** Whether personal API keys are allowed, and how long new keys live. */
import { useState } from 'react';
import { DurationField } from '../../shared/design/fields/duration-field.tsx';
import { Select } from '../../shared/design/fields/select.tsx';
import { Toggle } from '../../shared/design/toggle.tsx';
import { isDuration } from './claims.tsx';
import { SectionPanel } from './section-panel.tsx';
import { settings as text } from './text.ts';
import { useSection, type Section } from './use-section.ts';

type Life = keyof typeof text.lives;

const LIVES = Object.entries(text.lives).map(([value, label]) => ({ value: value as Life, label }));
const FIRST_OTHER = '48h';

const isPreset = (life: string): life is Life => Object.hasOwn(text.lives, life);

export function KeyRules() {
  const section = useSection(['personal_api_keys_allowed', 'max_api_key_lifetime']);
  const { shown, isReadOnly, set } = section;
  const { max_api_key_lifetime: life } = shown;
  return (
    <SectionPanel
      title={text.keys}
      hint={text.keysHint}
      section={section}
      isInvalid={life !== null && !isDuration(life)}
      effects={effectsOf(section)}
    >
      <Toggle
        label={text.personalKeys}
        description={text.personalKeysHint}
        isOn={shown.personal_api_keys_allowed}
        isDisabled={isReadOnly}
        onChange={(personal_api_keys_allowed) => {
          set({ personal_api_keys_allowed });
        }}
      />
      <Lifetime section={section} />
    </SectionPanel>
  );
}

function Lifetime({
  section: { shown, isReadOnly, problemAt, set },
}: {
  readonly section: Section;
}) {
  const { max_api_key_lifetime: life } = shown;
  const [isOther, setOther] = useState(false);
  const preset = life === null ? 'none' : isPreset(life) && !isOther ? life : 'other';
  return (
    <>
      <Select
        label={text.life}
        options={LIVES}
        value={preset}
        isDisabled={isReadOnly}
        onChange={(chosen) => {
          setOther(chosen === 'other');
          if (chosen === 'none') set({ max_api_key_lifetime: null });
          else set({ max_api_key_lifetime: chosen === 'other' ? (life ?? FIRST_OTHER) : chosen });
        }}
      />
      {preset === 'other' && life !== null && (
        <DurationField
          label={text.otherLife}
          description={text.otherLifeHint}
          value={life}
          isDisabled={isReadOnly}
          problem={problemAt('max_api_key_lifetime')}
          onChange={(max_api_key_lifetime) => {
            set({ max_api_key_lifetime });
          }}
        />
      )}
    </>
  );
}

function effectsOf({ changed }: Section): readonly string[] {
  const { personal_api_keys_allowed: isAllowed, max_api_key_lifetime: life } = changed;
  return [
    ...(isAllowed === true ? [text.keysOn] : []),
    ...(isAllowed === false ? [text.keysOff] : []),
    ...(life === null ? [text.lifeFree] : []),
    ...(typeof life === 'string' ? [text.lifeChanged(life)] : []),
  ];
}
