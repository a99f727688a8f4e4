/** What the organization is called, and what it is. */
import { Instant } from '../../shared/design/instant.tsx';
import { Fact, Facts } from '../../shared/design/lists/facts.tsx';
import { TextBox } from '../../shared/design/fields/text-box.tsx';
import { SectionPanel } from './section-panel.tsx';
import { settings as text } from './text.ts';
import { useEditing, useSection } from './use-section.ts';

export function Identity() {
  const { organization } = useEditing().current;
  const section = useSection(['name']);
  const { shown, changed, isReadOnly, problemAt, set } = section;
  return (
    <SectionPanel
      title={text.identity}
      section={section}
      effects={changed.name === undefined ? [] : [text.renamed(changed.name.trim())]}
      isInvalid={shown.name.trim() === ''}
    >
      <TextBox
        label={text.name}
        value={shown.name}
        maxLength={200}
        isReadOnly={isReadOnly}
        problem={problemAt('name')}
        onChange={(name) => {
          set({ name });
        }}
      />
      <Facts>
        <Fact label={text.id}>
          <code>{organization.slug}</code> {text.idHint}
        </Fact>
        <Fact label={text.created}>
          <Instant at={organization.created_at} as="clock" />
        </Fact>
        <Fact label={text.edition}>{text.editions[organization.edition]}</Fact>
      </Facts>
    </SectionPanel>
  );
}
