/** A new key, in the place of the form that asked for it. */
import { Panel } from '../../../shared/design/panel.tsx';
import { ShownOnce } from '../../../shared/secrets/shown-once.tsx';
import { issue as text } from '../text.ts';

interface IssuedKeyProps {
  readonly name: string;
  readonly secret: string;
  readonly onStored: () => void;
}

/** Its file has the names that the command line of Countersign reads. */
export function IssuedKey({ name, secret, onStored }: IssuedKeyProps) {
  return (
    <Panel title={text.title}>
      <ShownOnce
        title={text.issued(name)}
        secret={secret}
        file={{
          name: 'countersign-key.env',
          variables: { COUNTERSIGN_URL: location.origin, COUNTERSIGN_API_KEY: secret },
        }}
        ifLost={text.ifLost}
        onStored={onStored}
      />
    </Panel>
  );
}
