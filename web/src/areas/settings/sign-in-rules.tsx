/** Whether sensitive operations need a second factor, and how long an authentication is recent. */
import { useQuery } from '@tanstack/react-query';
import { DurationField } from '../../shared/design/fields/duration-field.tsx';
import { Toggle } from '../../shared/design/toggle.tsx';
import note from '../../shared/design/note.module.css';
import { isDuration } from './claims.tsx';
import { usageQuery } from './organization-data.ts';
import { SectionPanel } from './section-panel.tsx';
import { settings as text } from './text.ts';
import { useSection, type Section } from './use-section.ts';

export function SignInRules() {
  const section = useSection(['require_mfa', 'reauthentication_window']);
  const { shown, changed, isReadOnly, problemAt, set } = section;
  return (
    <SectionPanel
      title={text.signIn}
      hint={text.signInHint}
      section={section}
      isInvalid={!isDuration(shown.reauthentication_window)}
      effects={effectsOf(section)}
    >
      <Toggle
        label={text.mfa}
        description={text.mfaHint}
        isOn={shown.require_mfa}
        isDisabled={isReadOnly}
        onChange={(require_mfa) => {
          set({ require_mfa });
        }}
      />
      <WhoLacksOne isWanted={changed.require_mfa === true} />
      <DurationField
        label={text.recent}
        description={text.recentHint}
        value={shown.reauthentication_window}
        isDisabled={isReadOnly}
        problem={problemAt('reauthentication_window')}
        onChange={(reauthentication_window) => {
          set({ reauthentication_window });
        }}
      />
    </SectionPanel>
  );
}

function effectsOf({ base, changed }: Section): readonly string[] {
  const { require_mfa: mfa, reauthentication_window: window } = changed;
  return [
    ...(mfa === true ? [text.mfaOn, text.mfaOnKeys] : []),
    ...(mfa === false ? [text.mfaOff] : []),
    ...(window === undefined ? [] : [text.recentChanged(base.reauthentication_window, window)]),
  ];
}

/** `isWanted`: someone is about to require one. */
function WhoLacksOne({ isWanted }: { readonly isWanted: boolean }) {
  const { data: usage } = useQuery(usageQuery);
  if (!usage) return null;
  const { active_members: all, without } = usage.second_factors;
  if (without === 0) return <p className={note['note']}>{text.everyoneHas(all)}</p>;
  return (
    <p className={isWanted ? note['warning'] : note['note']}>
      {text.without(without, all)} {text.withoutThen}
    </p>
  );
}
