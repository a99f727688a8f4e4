import { expect, test } from '@jest/globals';
import { temporalConnectionOptions } from '../../temporal/connection-options.ts';

test('the embedded server is reached without the credentials for another one', () => {
  const environment = {
    TEMPORAL_ADDRESS: 'cloud.example:7233',
    TEMPORAL_API_KEY: 'key',
    TEMPORAL_TLS: 'true',
  };
  expect(temporalConnectionOptions(environment, '127.0.0.1:7233')).toEqual({
    address: '127.0.0.1:7233',
  });
});

test('a server of the operator is reached as the TEMPORAL_ variables say, and an API key implies TLS', () => {
  expect(temporalConnectionOptions({ TEMPORAL_ADDRESS: 'temporal:7233' })).toMatchObject({
    address: 'temporal:7233',
  });
  const withKey = temporalConnectionOptions({
    TEMPORAL_ADDRESS: 'cloud.example:7233',
    TEMPORAL_API_KEY: 'key',
  });
  expect(withKey).toMatchObject({ address: 'cloud.example:7233', apiKey: 'key', tls: true });
  const named = temporalConnectionOptions({
    TEMPORAL_ADDRESS: 'a:1',
    TEMPORAL_TLS: 'true',
    TEMPORAL_TLS_SERVER_NAME: 'temporal.example',
  });
  expect(named.tls).toMatchObject({ serverNameOverride: 'temporal.example' });
});
