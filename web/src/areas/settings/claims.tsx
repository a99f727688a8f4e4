/** How long a claim holds. */
import { DURATION_PATTERN } from '../../../../src/domain/durations.ts';
import { DurationField } from '../../shared/design/fields/duration-field.tsx';
import { SectionPanel } from './section-panel.tsx';
import { settings as text } from './text.ts';
import { useSection } from './use-section.ts';

/** What the field cannot read is marked there. */
export const isDuration = (value: string): boolean => new RegExp(DURATION_PATTERN).test(value);

export function Claims() {
  const section = useSection(['claim_timeout']);
  const { base, shown, changed, isReadOnly, problemAt, set } = section;
  const { claim_timeout: wanted } = changed;
  return (
    <SectionPanel
      title={text.claims}
      hint={text.claimsHint}
      section={section}
      isInvalid={!isDuration(shown.claim_timeout)}
      effects={wanted === undefined ? [] : [text.claimChanged(base.claim_timeout, wanted)]}
    >
      <DurationField
        label={text.claimTime}
        description={text.claimTimeHint}
        value={shown.claim_timeout}
        isDisabled={isReadOnly}
        problem={problemAt('claim_timeout')}
        onChange={(claim_timeout) => {
          set({ claim_timeout });
        }}
      />
    </SectionPanel>
  );
}
