import { readFile } from 'node:fs/promises';
import {
  type Authenticator,
  credsAuthenticator,
  nkeyAuthenticator,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node';
import type { ConnectOptions, Credentials } from '../broker.js';
import { LogError } from '../errors.js';

/** The credentials as given, or those of the file. Throws `credentials_unreadable` with the path. */
export async function readCredentials({
  credentials,
  credentialsFile,
}: Pick<ConnectOptions, 'credentials' | 'credentialsFile'>): Promise<Credentials | undefined> {
  if (credentials !== undefined || credentialsFile === undefined) return credentials;
  try {
    return { kind: 'creds', text: await readFile(credentialsFile, 'utf8') };
  } catch {
    throw new LogError('credentials_unreadable', 'the credentials file cannot be read', [credentialsFile]);
  }
}

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
