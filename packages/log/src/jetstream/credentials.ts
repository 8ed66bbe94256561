import {
  type Authenticator,
  credsAuthenticator,
  nkeyAuthenticator,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node';
import type { Credentials } from '../broker.js';
import { LogError } from '../errors.js';

/** Throws `credentials_invalid`; the client's own error could quote the secret, so it is not carried along. */
export function authenticatorOf(credentials: Credentials): Authenticator {
  try {
    const authenticator = build(credentials);
    // Building is lazy for keys: signing once here finds a broken seed before the first connection.
    authenticator('probe');
    return authenticator;
  } catch {
    throw new LogError('credentials_invalid', `the ${credentials.kind} credentials cannot be used`, [credentials.kind]);
  }
}

function build(credentials: Credentials): Authenticator {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  switch (credentials.kind) {
    case 'password':
      return usernamePasswordAuthenticator(credentials.user, credentials.password);
    case 'token':
      return tokenAuthenticator(credentials.token);
    case 'nkey':
      return nkeyAuthenticator(bytes(credentials.seed));
    case 'creds':
      return credsAuthenticator(bytes(credentials.text));
  }
}
