/** A team's policy as a separate path, for previews: who is asked inside a level that asks the team. */
import type {
  EscalationNode,
  EscalationPathDocument,
  Target,
  TeamPolicyDocument,
} from './types.ts';

/** Everyone, in a policy, is every member of the team. Nodes keep their ids. */
export function policyAsPath(policy: TeamPolicyDocument, teamId: string): EscalationPathDocument {
  const team: Target = { type: 'team', id: teamId };
  const own = (node: EscalationNode): EscalationNode => {
    switch (node.type) {
      case 'level': {
        const targets = node.targets.map((each) => (each.type === 'broadcast' ? team : each));
        return { ...node, targets };
      }
      case 'if_else':
        return { ...node, then: node.then.map(own), else: node.else.map(own) };
      case 'defer':
        return node;
    }
  };
  return { ...policy, name: '', nodes: policy.nodes.map(own) };
}
