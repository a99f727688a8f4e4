/** Sessions and audit events for the tests of the organization. */
import type { TestApp } from '../../support/app.ts';
import type { TestMember, TestOrganization } from '../../support/scene/factories.ts';

/** `organization`: of the test that runs. */
export function organizationCalls(app: TestApp, organization: () => TestOrganization) {
  return {
    /** Gives the member's session this assurance and age. */
    authenticate: (
      { membershipId: id }: TestMember,
      {
        assurance = 'single_factor',
        secondsAgo = 0,
      }: { assurance?: 'strong' | 'single_factor'; secondsAgo?: number },
    ) =>
      app.db.raw(
        `update sessions set assurance = :assurance, authenticated_at = clock_timestamp() - make_interval(secs => :secondsAgo)
          where membership_id = :id`,
        { assurance, secondsAgo, id },
      ),
    /** Oldest first. */
    eventsOf: async (type: string): Promise<{ actor_id: string; data: unknown }[]> => {
      const rows = await app
        .db('audit_events')
        .where({ organization_id: organization().id, event_type: type })
        .orderBy('sequence')
        .select<{ actor_id: string; data: string }[]>('actor_id', 'data');
      return rows.map(({ actor_id, data }) => ({ actor_id, data: JSON.parse(data) as unknown }));
    },
  };
}
