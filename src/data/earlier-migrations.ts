/**
 * The migrations of builds before the baseline. Together they made the schema that it makes, so it counts as run where all
 * of them ran. This file and its uses in migrate.ts can be deleted once no such database is left.
 */
import { OperatorError } from '../platform/operator-error.ts';
import type { Trx } from '../platform/postgres.ts';

const BASELINE = '20261127000000_baseline';

export const EARLIER_MIGRATIONS: readonly string[] = `
  20261121000001_people
  20261121000002_agents
  20261121000003_revisioned_documents
  20261121000004_approval_requests
  20261121000005_teams
  20261121000006_sign_in
  20261121000007_invitations
  20261121000008_organization_settings
  20261121000009_escalation
  20261121000010_notifications
  20261121000011_slack
  20261121000012_queue_indexes
  20261121000013_retention
  20261121000014_slack_announcements
  20261122000001_agent_names
  20261122000009_request_input
  20261122000010_comments
  20261122000011_access_version
  20261122000012_webhook_endpoints
  20261122000013_archived_pipelines
  20261122000014_agent_counts
  20261122000015_agent_provisioners
  20261122000016_provisioned_instances
  20261122000017_agent_enrollments
  20261122000018_tool_catalog
  20261122000019_tool_presentations
  20261122000021_pipeline_block_results
  20261122000022_judge
  20261122000024_ruled_approval_requests
  20261122000025_live_instances
  20261122000026_seen_arguments
  20261122000027_pending_deadlines
  20261122000028_request_changes
  20261122000029_revision_history
  20261122000030_push_subscriptions
  20261125224800_slack_presses
  20261125225000_agent_pending_share
  20261125225800_hidden_names
  20261125230700_tool_names
  20261125231200_enrollment_authorizers
  20261125231500_call_digests
  20261125232500_notification_digests
  20261125233500_begun_deliveries
  20261125233900_previous_signing_secrets
  20261125234400_used_sso_states
  20261126002300_compared_names
  20261126002600_delivery_error_causes
  20261126015741_block_error_causes
  20261126020700_account_mails
  20261126021923_previous_channel_secrets
  20261126050731_audit_chain
  20261126051500_oauth
  20261126054200_instance_operations
  20261126055500_receivers
  20261126061000_tool_access
  20261126062000_withdrawn_keys
  20261126065000_audit_index
  20261126082000_receiver_hosts
  20261126084900_audit_words
  20261126091500_audit_pairs
  20261126120800_tool_schema_changes
  20261126121500_started_requests
  20261126121600_presentation_revisions
  20261126185500_decisions_by_time
  20261126185900_failed_webhook_deliveries
  20261126220600_demo_agents
  20261126221200_api_keys_by_end
`
  .trim()
  .split(/\s+/);

/** `recorded`, what a database has run, and the baseline where that stands for it. */
export function withBaseline(recorded: readonly string[]): readonly string[] {
  return missingOf(recorded).length === 0 ? [...recorded, BASELINE] : recorded;
}

/**
 * Records the baseline in place of the earlier migrations. Throws OperatorError where only some of
 * them ran.
 */
export async function recordBaseline(trx: Trx, recorded: readonly string[]): Promise<void> {
  const missing = missingOf(recorded).length;
  const total = EARLIER_MIGRATIONS.length;
  if (missing === total) return;
  if (missing > 0)
    throw new OperatorError(
      `An older build of Countersign made this database: it has run ${total - missing} of the ${total} migrations that this version replaces with one. ` +
        `Nothing was changed. Run \`countersign migrate\` of the build whose last migration is ${EARLIER_MIGRATIONS.at(-1) ?? ''}, then start this version.`,
    );
  await trx('knex_migrations').whereIn('name', EARLIER_MIGRATIONS).delete();
  await trx('knex_migrations').insert({
    name: BASELINE,
    batch: 1,
    migration_time: trx.fn.now(),
  });
}

function missingOf(recorded: readonly string[]): readonly string[] {
  return EARLIER_MIGRATIONS.filter((name) => !recorded.includes(name));
}
