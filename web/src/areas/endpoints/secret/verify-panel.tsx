/** How a receiver checks that a call is from here. */
import { useState } from 'react';
import { SegmentedControl } from '../../../shared/design/fields/segmented-control.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import { Code } from '../../../shared/page/code.tsx';
import { secret as text } from '../text.ts';
import { RECEIVERS, type Language } from './receivers.ts';

export function VerifyPanel() {
  const [language, setLanguage] = useState<Language>('node');
  return (
    <Panel title={text.verify} hint={text.verifyHint}>
      <div>
        <SegmentedControl
          label={text.language}
          options={[
            { value: 'node', label: text.languages.node },
            { value: 'python', label: text.languages.python },
          ]}
          value={language}
          onChange={setLanguage}
        />
      </div>
      <Code label={text.languages[language]} value={RECEIVERS[language]} />
    </Panel>
  );
}
