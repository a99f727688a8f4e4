/** The picture of a request's schedule, from when it was asked to its deadline. */
import { useQuery } from '@tanstack/react-query';
import { useNowSeconds } from '../../../shared/api/clock.ts';
import { scheduleOf } from '../../../shared/schedule/schedule.ts';
import { SchedulePicture } from '../../../shared/schedule/schedule-picture.tsx';
import { routingQuery, type RequestDetail } from '../requests-data.ts';
import { routedSteps } from './routed-steps.ts';

export function RequestSchedule({ request }: { readonly request: RequestDetail }) {
  const { data: routing } = useQuery(routingQuery(request));
  const seconds = useNowSeconds();
  if (!routing) return null;
  const steps = routedSteps(request, routing);
  if (steps.steps.length === 0) return null;
  const { decision } = request;
  const now = decision ? Date.parse(decision.decided_at) : seconds * 1_000;
  return (
    <SchedulePicture
      schedule={scheduleOf(steps)}
      zone={undefined}
      now={now}
      nowIs={decision ? 'decided' : 'now'}
      isSmall
    />
  );
}
