/** The stable codes of single problems in `details.issues` of a 400, and what each means. */

export const issueCodes = {
  required: 'The field, parameter or header is missing.',
  unknown_field: 'No such field or query parameter exists here.',
  invalid_type: 'The value has another JSON type than the schema demands.',
  invalid_value: 'The value breaks a rule of its field. `message` states the rule.',
  invalid_string: 'The text contains NUL or is not valid Unicode.',
  invalid_pattern: 'The text is not a regular expression in RE2 syntax.',
  invalid_cursor: 'The cursor belongs to another list or to other filters, or was changed.',
  too_few: 'The list must have at least one entry.',
  too_many: 'The list or the document is larger than its limit. `message` states the limit.',
  too_deep: 'Conditions or nodes nest deeper than a document may.',
  duplicate_id: 'Another part of the document has the same id.',
  duplicate_source: 'The report names the source earlier.',
  duplicate_tool: 'The source lists the tool earlier.',
  duplicate_target: 'The list names the target earlier.',
  duplicate_weekday: 'The list names the day earlier.',
  broadcast_not_alone: 'A target for the whole team must be the only target of its level.',
  unknown_block_type: 'No such type of block exists in this edition.',
  unknown_node_type: 'No such type of node exists.',
  unknown_condition_type: 'No such type of condition exists here.',
  unknown_target_type: 'No such type of target exists here.',
  unknown_target: 'The member or team does not exist, or is not one that the document may target.',
  unknown_timezone: 'The text is not the name of a time zone, such as `Europe/Berlin`.',
  unknown_working_hours: 'The document defines no working hours with this id.',
  unknown_escalation_path: 'The organization has no escalation path with this key.',
  unknown_webhook_endpoint: 'The organization has no webhook endpoint with this key.',
  unknown_model: 'The deployment has no such model for judges.',
  cannot_decide: 'The member may not decide requests of the agent.',
  egress_denied: 'The service may not call the URL. Use a public HTTPS address.',
  unsupported_delivery_type: 'The service does not deliver that way.',
  invalid_webhook_url:
    'The service may not call the URL. Use a public HTTPS address without user name and fragment.',
  malformed_json: 'The body is not one valid JSON document in UTF-8.',
  duplicate_key: 'An object of the body repeats a key.',
  nesting_too_deep: 'The body nests deeper than 100 levels, or a document deeper than 200.',
  unexpected_body: 'The operation takes no body.',
  repeated_parameter: 'The query repeats a parameter.',
  repeated_header: 'The call repeats a header that it may have once.',
  malformed_http: 'The call is not well-formed HTTP.',
  too_slow: 'The call did not arrive in time.',
} as const satisfies Record<string, string>;

export type IssueCode = keyof typeof issueCodes;

export function isIssueCode(code: unknown): code is IssueCode {
  return typeof code === 'string' && Object.hasOwn(issueCodes, code);
}
