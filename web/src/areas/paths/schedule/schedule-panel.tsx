/** When people are asked: the picture, the same in words, and three usual times at a glance. */
import { useQuery } from '@tanstack/react-query';
import { useContext, useState } from 'react';
import { formatDuration } from '../../../../../src/domain/durations.ts';
import { serverNow } from '../../../shared/api/clock.ts';
import { InlineSelect } from '../../../shared/design/fields/select.tsx';
import { Panel } from '../../../shared/design/panel.tsx';
import { PartFailed } from '../../../shared/page/states.tsx';
import { scheduleOf } from '../../../shared/schedule/schedule.ts';
import { SchedulePicture } from '../../../shared/schedule/schedule-picture.tsx';
import { StepList } from '../../../shared/schedule/step-list.tsx';
import type { Zone } from '../../../shared/schedule/zone-times.ts';
import { LookedContext } from '../cards/cards-context.ts';
import type { PathView } from '../document/read-path.ts';
import { waitText } from '../document/wait-text.ts';
import {
  previewQuery,
  type Circumstances,
  type Preview,
  type PreviewedCall,
} from '../paths-data.ts';
import { lastTimeoutsQuery } from '../targets-data.ts';
import { paths as text } from '../text.ts';
import { usesQuery } from '../uses/uses-data.ts';
import { CallChoice } from './call-choice.tsx';
import {
  officeZone,
  presetStarts,
  timeoutChoices,
  timeoutsOfPath,
  usualTimeouts,
  zoneChoices,
  type Start,
  type Timeout,
} from './circumstances.ts';
import { PresetStrip } from './preset-strip.tsx';
import classes from './schedule-panel.module.css';

interface SchedulePanelProps {
  readonly path: PathView;
  /** The document as it is sent. */
  readonly text: string;
  /** Of a path. */
  readonly pathKey: string | undefined;
  /** Of a policy. */
  readonly teamId: string | undefined;
  /** The request as whose the schedule is. */
  readonly call: PreviewedCall | undefined;
  readonly setCall: (call: PreviewedCall | undefined) => void;
}

export function SchedulePanel(props: SchedulePanelProps) {
  const { path, text: document } = props;
  const choice = useCircumstances(props);
  const preview = useQuery(previewQuery(document, choice.given));
  return (
    <Panel title={text.schedule} hint={text.scheduleHint}>
      <PresetStrip
        document={document}
        given={choice.given}
        starts={choice.presets}
        zone={choice.office}
        chosen={choice.start.key}
        onChoose={choice.chooseStart}
      />
      <Controls choice={choice} path={path} />
      {preview.isError && <PartFailed part={preview} />}
      {preview.data && (
        <div className={classes['shown']} data-stale={preview.isPlaceholderData}>
          <Finding preview={preview.data} />
          <Shown
            preview={preview.data}
            path={path}
            zone={choice.zone}
            onDeadline={choice.setTimeout}
          />
        </div>
      )}
    </Panel>
  );
}

/** While no request says how long requests have. */
const UNKNOWN_TIMEOUT = '1h';

function useCircumstances({ path, pathKey, teamId, call, setCall }: SchedulePanelProps) {
  const [now, setNow] = useState(serverNow);
  const office = officeZone(path.hours);
  const presets = presetStarts(office, now);
  const nowStart = { key: 'now', label: text.now, at: new Date(now).toISOString() };
  const [startKey, setStartKey] = useState('now');
  const [urgency, setUrgency] = useState<Circumstances['urgency']>('standard');
  const known = useKnownTimeouts(pathKey);
  const [chosenTimeout, setTimeout] = useState<string>();
  const [zoneKey, setZoneKey] = useState('mine');
  const start = [nowStart, ...presets].find(({ key }) => key === startKey) ?? nowStart;
  const timeout = chosenTimeout ?? known[0]?.value ?? UNKNOWN_TIMEOUT;
  const timeouts = timeoutChoices(known, timeout);
  return {
    ...{ office, presets, start, urgency, setUrgency, timeouts, timeout, setTimeout, setCall },
    given: {
      ...{ startsAt: start.at, urgency, timeout },
      ...(call && { call }),
      ...(teamId !== undefined && { teamId }),
    },
    zone: zoneChoices(path.hours).find(({ key }) => key === zoneKey)?.zone,
    ...{ zoneKey, setZoneKey },
    chooseStart: (key: string) => {
      setNow(serverNow());
      setStartKey(key);
    },
  };
}

/** How long requests on the path had, or any requests while there were none. */
function useKnownTimeouts(pathKey: string | undefined): readonly Timeout[] {
  const uses = useQuery({ ...usesQuery(pathKey ?? ''), enabled: pathKey !== undefined });
  const own = uses.data?.timeouts;
  const isUnused = pathKey === undefined || (!uses.isPending && !own);
  const last = useQuery({ ...lastTimeoutsQuery, enabled: isUnused });
  return own ? timeoutsOfPath(own) : usualTimeouts(last.data ?? []);
}

type Chosen = ReturnType<typeof useCircumstances>;

function Controls({ choice, path }: { readonly choice: Chosen; readonly path: PathView }) {
  const starts: readonly Start[] = [{ key: 'now', label: text.now, at: '' }, ...choice.presets];
  return (
    <div className={classes['controls']}>
      <InlineSelect
        isLabelShown
        label={text.start}
        options={starts.map(({ key, label }) => ({ value: key, label }))}
        value={choice.start.key}
        onChange={choice.chooseStart}
      />

      <InlineSelect
        isLabelShown
        label={text.expires}
        options={[...choice.timeouts.map(timeoutOption), { value: '', label: text.never }]}
        value={choice.timeout}
        onChange={choice.setTimeout}
      />

      <InlineSelect
        isLabelShown
        label={text.urgency}
        options={[
          { value: 'standard', label: text.standard },
          { value: 'interrupt', label: text.interrupt },
        ]}
        value={choice.urgency}
        onChange={choice.setUrgency}
      />

      <CallChoice onChoose={choice.setCall} />
      <InlineSelect
        isLabelShown
        label={text.zone}
        options={zoneChoices(path.hours).map(({ key, label }) => ({ value: key, label }))}
        value={choice.zoneKey}
        onChange={choice.setZoneKey}
      />
    </div>
  );
}

function timeoutOption({ value, label }: Timeout) {
  const words = waitText(value);
  return { value, label: label === undefined ? words : text[label](words) };
}

/** What is wrong with this schedule, where something is. */
function Finding({ preview: { steps, warnings } }: { readonly preview: Preview }) {
  const isLate = warnings.some(({ code }) => code === 'first_level_after_deadline');
  const isNoOne = steps.every(({ kind }) => kind !== 'level_notified');
  if (!isLate && !isNoOne) return null;
  return (
    <p className={classes['finding']} role="status">
      {isLate ? text.lateFinding : text.noOneFinding}
    </p>
  );
}

interface ShownProps {
  readonly preview: Preview;
  readonly path: PathView;
  readonly zone: Zone;
  readonly onDeadline: (timeout: string) => void;
}

function Shown({ preview, path, zone, onDeadline }: ShownProps) {
  const looked = useContext(LookedContext);
  return (
    <>
      <SchedulePicture
        schedule={scheduleOf(preview)}
        hours={path.hours}
        zone={zone}
        onDeadline={(seconds) => {
          onDeadline(formatDuration(seconds));
        }}
        {...looked}
      />
      <StepList steps={preview.steps} zone={zone} {...looked} />
      {preview.truncated && <p className={classes['hint']}>{text.truncated}</p>}
    </>
  );
}
