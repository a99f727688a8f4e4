/** When the path first asks someone at the three times that everyone should look at. */
import { useQueries } from '@tanstack/react-query';
import { ForeignText } from '../../../shared/exact/foreign-text.tsx';
import { firstAsked, firstAskedText } from '../../../shared/schedule/first-asked.ts';
import type { Zone } from '../../../shared/schedule/zone-times.ts';
import { previewQuery, type Circumstances, type Preview } from '../paths-data.ts';
import { paths as text } from '../text.ts';
import type { Start } from './circumstances.ts';
import classes from './schedule-panel.module.css';

interface PresetStripProps {
  readonly document: string;
  readonly given: Circumstances;
  readonly starts: readonly Start[];
  /** Whose clocks the starts are. */
  readonly zone: Zone;
  readonly chosen: string;
  readonly onChoose: (key: string) => void;
}

export function PresetStrip({ document, given, starts, zone, ...choice }: PresetStripProps) {
  const previews = useQueries({
    queries: starts.map(({ at }) => previewQuery(document, { ...given, startsAt: at })),
  });
  return (
    <ul className={classes['presets']} aria-label={text.presets}>
      {starts.map(({ key, label }, index) => (
        <li key={key}>
          <button
            type="button"
            className={classes['preset']}
            aria-pressed={choice.chosen === key}
            data-late={isBad(previews[index]?.data)}
            onClick={() => {
              choice.onChoose(key);
            }}
          >
            <strong>{label}</strong> <Sentence preview={previews[index]?.data} zone={zone} />
          </button>
        </li>
      ))}
    </ul>
  );
}

interface SentenceProps {
  readonly preview: Preview | undefined;
  readonly zone: Zone;
}

function Sentence({ preview, zone }: SentenceProps) {
  if (!preview) return <span className={classes['hint']}>…</span>;
  const first = firstAsked(preview);
  return (
    <span>
      {first.name !== undefined && (
        <>
          <ForeignText text={first.name} isName />{' '}
        </>
      )}
      {firstAskedText(first, zone)}
    </span>
  );
}

function isBad(preview: Preview | undefined): boolean {
  const first = preview && firstAsked(preview);
  return first !== undefined && (first.isTooLate || first.at === undefined);
}
