/** Escalation policies of teams: the order in which a path asks the members of a team. */
import { z } from 'zod';
import { policyDocumentSchema, policyMembers } from '../../src/domain/escalation/document.ts';
import {
  teamPolicyKind,
  type TeamPolicyRevision,
} from '../../src/services/escalation/team-escalation-policies.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { DOCUMENT_ERRORS, printedMembers, storedMembers } from './escalation-document-schema.ts';
import { presentWarning, warningsSchema } from './escalation-warnings-schema.ts';
import { historyExample, historyFields, orAsRead, presentHistory } from '../revision-history.ts';
import { revisionEndpoints, revisionNumber } from '../revisions.ts';
import { readByDomain, uuid } from '../http/schema.ts';

const policyRevisionSchema = z
  .strictObject({
    id: uuid('Identity of the revision.'),
    team_id: uuid('The team.'),
    revision: revisionNumber(),
    is_active: z.boolean().meta({ description: 'Whether paths ask the team by this revision.' }),
    ...historyFields,
    ...printedMembers(policyMembers),
    document_version: z.int().meta({ description: 'Version of the document format.' }),
    warnings: warningsSchema(),
  })
  .meta({
    id: 'TeamEscalationPolicyRevision',
    description: "An immutable revision of a team's escalation policy.",
  });

const documentExample = {
  working_hours: [
    {
      id: 'office',
      name: 'Office hours',
      timezone: 'Europe/Berlin',
      intervals: [{ weekdays: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '09:00', end: '17:30' }],
    },
  ],
  nodes: [
    {
      id: '0198f3a2-8e30-7b55-a4f5-708192a3b4c5',
      type: 'if_else',
      conditions: [{ type: 'working_hours', working_hours_id: 'office', active: true }],
      then: [
        {
          id: '0198f3a2-8e31-7b55-a4f5-708192a3b4c5',
          type: 'level',
          targets: [{ type: 'user', id: '0198f3a2-5b20-7a10-8c44-2b3c4d5e6f70' }],
          escalate_after: '10m',
          raise_urgency: false,
        },
      ],
      else: [],
    },
    {
      id: '0198f3a2-8e32-7b55-a4f5-708192a3b4c5',
      type: 'level',
      targets: [{ type: 'broadcast' }],
      escalate_after: '20m',
      raise_urgency: true,
    },
  ],
};

const revisionExample = {
  id: '0198f3a2-8e33-7d77-8617-92a3b4c5d6e7',
  team_id: '0198f3a2-6c00-7d3e-8f10-1a2b3c4d5e6f',
  revision: 1,
  is_active: true,
  ...historyExample('2026-03-02T11:00:00.000Z', 'Office hours first.'),
  ...documentExample,
  document_version: 1,
  warnings: [],
};

function presentRevision({ text, ...policy }: TeamPolicyRevision) {
  return {
    id: policy.id,
    team_id: policy.teamId,
    revision: policy.revision,
    is_active: policy.isActive,
    ...presentHistory(policy),
    ...storedMembers(text),
    document_version: 1,
    warnings: policy.warnings.map(presentWarning),
  };
}

const teamOf = ({ id = '' }: Readonly<Record<string, string>>): string => id;

export const teamEscalationPolicyEndpoints: readonly Endpoint[] = revisionEndpoints({
  kind: teamPolicyKind,
  path: '/api/v1/teams/{id}/escalation-policy',
  tag: 'Teams',
  operation: 'TeamEscalationPolicy',
  noun: "a team's escalation policy",
  params: { id: uuid('Id of the team.') },
  documentKey: teamOf,
  body: readByDomain(orAsRead(policyDocumentSchema, ['team_id', 'document_version'])),
  requestExample: documentExample,
  revision: policyRevisionSchema,
  example: revisionExample,
  present: presentRevision,
  createErrors: [...DOCUMENT_ERRORS, 'team_archived'],
  activation:
    'A level that asks the team uses the revision that is active when a request enters the level. Requests already inside such a ' +
    'level keep the revision they entered with.',
  activateErrors: ['team_archived', 'escalation_target_missing'],
  deactivate: {
    description:
      'From then on a level that asks the team asks all its members at once. Requests already inside such a level keep the revision ' +
      'they entered with. The revisions stay, and any of them can be activated again.',
    errors: ['team_archived'],
  },
});
