/** Secrets in paths stay out of the log. */
import { describe, expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { loggedPath } from '../../../api/http/logged-paths.ts';

describe('the path of a call in the log', () => {
  test.each([
    ['/auth/invitations/whi_1_s3cret', '/auth/invitations/[secret]'],
    ['/auth/invitations/whi_1_s3cret/accept', '/auth/invitations/[secret]/accept'],
    ['/auth/invitations/hi_1_s3cret?via=mail', '/auth/invitations/[secret]'],
    ['/AUTH/Invitations/1_s3cret', '/AUTH/Invitations/[secret]'],
    ['/auth/password/reset/whr_1_s3cret', '/auth/password/reset/[secret]'],
    ['/invitations/1_s3cret', '/invitations/[secret]'],
    ['/password/reset/1_s3cret', '/password/reset/[secret]'],
    ['/auth//invitations/whi_1_s3cret', '/auth//invitations/[secret]'],
    ['/auth/invitations%2Fwhi%5F1_s3cret/x', '/auth/invitations%2F[secret]/x'],
    ['/api/v1/agent_enrollments/KQM-7X2R', '/api/v1/agent_enrollments/[secret]'],
    [
      '/api/v1/agent_enrollments/KQM-7X2R/authorize',
      '/api/v1/agent_enrollments/[secret]/authorize',
    ],
    ['/api/v1/members/whk_1_s3cret', '/api/v1/members/[secret]'],
  ])('%s becomes %s', (url, logged) => {
    expect(loggedPath(url)).toBe(logged);
  });

  test('otherwise names the object', () => {
    const path = '/api/v1/invitations/0199a3f4-2b7e-7c3d-8e6f-4a5b6c7d8e9f/resend';
    expect(loggedPath(`${path}?q=1`)).toBe(path);
  });

  const secret = endpoints
    .filter(({ path }) => /\{(token|user_code)\}/.test(path))
    .map(({ path }) => ({ path }));
  test.each(secret)('of $path never shows the secret', ({ path }) => {
    expect(loggedPath(path.replace(/\{\w+\}/, 's3cret'))).not.toContain('s3cret');
  });
});
