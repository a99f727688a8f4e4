/** What a machine says about itself. All of it is foreign text. */
import { Fact, Facts } from '../../shared/design/lists/facts.tsx';
import { ForeignText } from '../../shared/exact/foreign-text.tsx';
import { JsonView } from '../../shared/exact/json-view.tsx';
import { readSource } from '../../../../src/platform/json/source-values.ts';
import { enroll as text } from './enroll-text.ts';
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
    <Facts>
      <Fact label={text.sameCode}>
        <bdi className={classes['code']}>{code}</bdi>
      </Fact>
      <Fact label={text.runtime}>
        <ForeignText text={enrollment.runtime} />
      </Fact>
      <Fact label={text.instance}>
        <ForeignText text={enrollment.instance_name} />
      </Fact>
      {enrollment.requested_agent_slug !== null && (
        <Fact label={text.requested}>
          <bdi>{enrollment.requested_agent_slug}</bdi>
        </Fact>
      )}
      <Fact label={text.expires}>
        <time dateTime={enrollment.expires_at}>
          {new Date(enrollment.expires_at).toLocaleTimeString()}
        </time>
      </Fact>
      {metadata && metadata.size > 0 && (
        <Fact label={text.metadata}>
          <JsonView value={metadata} label={text.metadata} />
        </Fact>
      )}
    </Facts>
  );
}
