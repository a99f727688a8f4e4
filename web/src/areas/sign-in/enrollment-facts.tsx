/** What a machine says about itself. All of it is foreign text. */
import { ForeignText } from '../../exact/foreign-text.tsx';
import { JsonView } from '../../exact/json-view.tsx';
import { readSource } from '../../exact/source-values.ts';
import { enroll as text } from '../../text/enroll.ts';
import type { Enrollment } from './enroll-data.ts';
import classes from './guide.module.css';

export function EnrollmentFacts({
  code,
  enrollment,
}: {
  readonly code: string;
  readonly enrollment: Enrollment;
}) {
  const metadata = readSource(enrollment.instance_metadata.text);
  return (
    <dl className={classes['facts']}>
      <dt>{text.sameCode}</dt>
      <dd className={classes['code']}>
        <bdi>{code}</bdi>
      </dd>
      <dt>{text.runtime}</dt>
      <dd>
        <ForeignText text={enrollment.runtime} />
      </dd>
      <dt>{text.instance}</dt>
      <dd>
        <ForeignText text={enrollment.instance_name} />
      </dd>
      {enrollment.requested_agent_slug !== null && (
        <>
          <dt>{text.requested}</dt>
          <dd>
            <bdi>{enrollment.requested_agent_slug}</bdi>
          </dd>
        </>
      )}
      <dt>{text.expires}</dt>
      <dd>
        <time dateTime={enrollment.expires_at}>
          {new Date(enrollment.expires_at).toLocaleTimeString()}
        </time>
      </dd>
      {metadata && metadata.size > 0 && (
        <>
          <dt>{text.metadata}</dt>
          <dd>
            <JsonView value={metadata} label={text.metadata} />
          </dd>
        </>
      )}
    </dl>
  );
}
