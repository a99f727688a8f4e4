/** Advice about a pipeline. It never refuses anything. */

export const PIPELINE_WARNING_CODES = [
  'never_reached',
  'approves_without_limit',
  'negative_operator_on_optional_field',
  'duplicate_condition',
  'escalation_path_inactive',
  'webhook_endpoint_inactive',
] as const;

export interface PipelineWarning {
  readonly code: (typeof PIPELINE_WARNING_CODES)[number];
  /** Absent for the default path of the pipeline. */
  readonly blockId?: string;
  /** Present when the warning is about one condition. */
  readonly conditionId?: string;
}

/** Warnings of one response. */
export const MOST_WARNINGS = 100;
