/** Notification channels whose messages do not arrive: what is wrong, since when, and what to do. */
import type { components } from '../api/openapi.d.ts';
import { Instant } from '../design/instant.tsx';
import note from '../design/note.module.css';
import { ForeignText } from '../exact/foreign-text.tsx';
import { notificationTroubles as text } from './text.ts';

type Trouble = Pick<
  components['schemas']['TroubledChannel'],
  'state' | 'since' | 'problem' | 'what_to_do'
> & { readonly name: string };

export function TroubledChannels({ channels }: { readonly channels: readonly Trouble[] }) {
  return channels.map(({ name, state, since, problem, what_to_do: todo }, index) => (
    <div key={index} className={state === 'broken' ? note['problem'] : note['warning']}>
      <p>
        <ForeignText text={name} isName />: {text[state]} <Instant at={since} as="clock" />.{' '}
        {text.because} {problem}.
      </p>
      <p>{todo}</p>
    </div>
  ));
}
