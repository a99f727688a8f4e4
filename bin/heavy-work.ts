/** The functions of the worker pool's threads, each under its own name. */
import { readLargeBody } from '../api/http/large-body.ts';
import { tallyCalls } from '../src/domain/agents/seen-arguments.ts';
import { diffRevisionTexts } from '../src/services/pipelines/diff-texts.ts';
import { evaluatePreview } from '../src/services/pipelines/preview.ts';
import { evaluateTexts } from '../src/services/evaluation/evaluate-texts.ts';
import {
  readEscalationPath,
  readNewEscalationPath,
  readPreviewedPath,
  readTeamPolicy,
} from '../src/services/escalation/read-escalation.ts';
import { measured } from '../src/platform/threads/measured.ts';
import { matchConditions } from '../src/services/evaluation/conditions.ts';
import { simulateRequests } from '../src/services/pipelines/simulate-texts.ts';
import {
  namesInStored,
  readHostedPipeline,
  readPipeline,
} from '../src/services/pipelines/read-pipeline.ts';
import { readWebhookEndpoint } from '../src/services/webhooks/read-webhook-endpoint.ts';
import { readToolReport } from '../src/services/agents/read-tool-catalog.ts';
import { concealedArguments } from '../src/services/notifications/shown-request.ts';
import { firstInSession } from '../src/services/requests/creation/resume.ts';
import { areEqualTexts } from '../src/services/requests/creation/same-input.ts';

export const tasks = {
  matchConditions,
  areEqualTexts,
  concealedArguments,
  firstInSession,
  diffRevisionTexts,
  evaluatePreview,
  evaluateTexts,
  namesInStored,
  readEscalationPath,
  readHostedPipeline,
  readLargeBody,
  readNewEscalationPath,
  readPipeline,
  readPreviewedPath,
  readTeamPolicy,
  readToolReport,
  readWebhookEndpoint,
  simulateRequests,
  tallyCalls,
};

export const runTask = measured(tasks);
