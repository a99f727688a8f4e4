/** How a call would be shown: drawn as the page of a request draws it. */
import { useMemo, useState } from 'react';
import { hiddenCount } from '../../../../../src/domain/shown/hidden.ts';
import { shownCall } from '../../../../../src/domain/shown/shown-call.ts';
import { serverNow } from '../../../shared/api/clock.ts';
import { CallSummary } from '../../../shared/call/call-summary.tsx';
import { CallTitle } from '../../../shared/call/call-title.tsx';
import { useRequestReading } from '../../../shared/call/request-reading.ts';
import { Select } from '../../../shared/design/fields/select.tsx';
import { TextArea } from '../../../shared/design/fields/text-box.tsx';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { ReadingContext, type Reading } from '../../../shared/exact/reading.ts';
import { Loading } from '../../../shared/page/states.tsx';
import { requests } from '../../../shared/text/requests.ts';
import { clockText } from '../../../shared/text/times.ts';
import { editor as text } from '../text.ts';
import { presentationOf, type EntryView } from './entry.ts';
import { OWN, type SampleCall } from './use-sample.ts';
import classes from './editor.module.css';

interface PreviewProps {
  readonly entry: EntryView;
  readonly sample: SampleCall;
}

export function Preview({ entry, sample }: PreviewProps) {
  const { id, calls, choose, written, write, whole, mayRead, error } = sample;
  const options = [
    ...calls.map((each) => ({
      value: each.id,
      label: `${clockText(each.at, serverNow() / 1_000)} · ${each.agent}`,
    })),
    { value: OWN, label: text.own },
  ];
  return (
    <section className={classes['preview']} aria-labelledby="preview">
      <h2 id="preview">{text.preview}</h2>
      {calls.length === 0 ? (
        <p className={classes['soft']}>{mayRead ? text.noCalls : text.noRead}</p>
      ) : (
        <Select label={text.call} options={options} value={id} onChange={choose} />
      )}
      {id === OWN && (
        <TextArea
          label={text.ownLabel}
          description={text.ownHint}
          isMono
          value={written}
          onChange={write}
          problem={written.trim() !== '' && !whole ? text.notJson : undefined}
        />
      )}
      {error && <p role="alert">{error.message}</p>}
      {!error && id !== OWN && !whole && <Loading />}
      {whole && id === OWN && <DrawnText entry={entry} sample={sample} />}
      {whole && id !== OWN && <DrawnRequest key={id} entry={entry} sample={sample} />}
    </section>
  );
}

/** Hidden values of a real call are opened as on its page: it is recorded who looks. */
function DrawnRequest(props: PreviewProps) {
  const reading = useRequestReading(props.sample.id);
  return <Drawn {...props} reading={reading} />;
}

function DrawnText(props: PreviewProps) {
  const [opened, setOpened] = useState<readonly string[]>([]);
  const reading = useMemo<Reading>(
    () => ({
      reveal: (pointers) => {
        setOpened((before) => [...before, ...pointers]);
        return Promise.resolve();
      },
      isRevealed: (pointer) => opened.includes(pointer),
      open: () => undefined,
    }),
    [opened],
  );
  return <Drawn {...props} reading={reading} />;
}

function Drawn({ entry, sample, reading }: PreviewProps & { readonly reading: Reading }) {
  const { whole, hiddenNames, calls, id } = sample;
  const { hidden, presented } = useMemo(
    () => shownCall({ whole }, { presentation: presentationOf(entry), hiddenNames }),
    [whole, entry, hiddenNames],
  );
  const agent = calls.find((each) => each.id === id)?.agent;
  if (!whole || !presented) return null;
  return (
    <ReadingContext value={reading}>
      <article className={classes['sheet']} aria-label={text.preview}>
        <p className={classes['soft']}>
          {agent === undefined ? text.agent : <ForeignText text={agent} isName />} {text.asks}{' '}
          <ForeignText text={entry.tool} isName />
        </p>
        <h3 className={classes['sentence']}>
          {presented.title.length > 0 ? (
            <CallTitle title={presented.title} hidden={hidden} />
          ) : (
            <ForeignText text={entry.tool} isName />
          )}
        </h3>
        <CallSummary presented={presented} hidden={hidden} whole={whole} />
        <p className={classes['soft']}>
          {requests.leftOut(presented.leftOut, hiddenCount(hidden))}
        </p>
      </article>
    </ReadingContext>
  );
}
