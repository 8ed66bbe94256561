import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { runStory } from '../../../test/support/history.js';
import { type LedgerErrorCode, openLedger } from '../src/index.js';
import { freshFile, open, stored, withHeaders } from './ledgerFixture.js';

const story = runStory();
const events = withHeaders(stored(story.repaired()));

const refused = (code: LedgerErrorCode) => expect.objectContaining({ name: 'LedgerError', code }) as Error;

function folded(): string {
  const file = freshFile();
  const ledger = open({ file });
  ledger.fold(events);
  ledger.close();
  return file;
}

describe('the file of a ledger', () => {
  it('is begun where there is none, folders included', () => {
    const file = join(freshFile(), 'deeper', 'ledger.db');
    expect(open({ file }).opened).toBe('fresh');
  });

  it('has one holder: a second opening is refused while the first lives', () => {
    const file = freshFile();
    const first = open({ file });
    expect(() => open({ file })).toThrow(refused('ledger_in_use'));
    first.close();
    first.close();
    expect(open({ file }).opened).toBe('kept');
  });

  it('is emptied where another version made it', () => {
    const file = folded();
    const ledger = open({ file, version: 'test 2' });
    expect([ledger.opened, ledger.position(), [...ledger.runs()]]).toEqual(['other_version', 0, []]);
  });

  it('is renamed aside where it is no database, and begun anew', () => {
    const file = freshFile();
    writeFileSync(file, 'this is something else entirely\n'.repeat(100));
    const ledger = open({ file });
    expect([ledger.opened, ledger.position()]).toEqual(['unreadable', 0]);
    expect(readFileSync(`${file}.unreadable`, 'utf8')).toContain('something else');
    ledger.fold(events);
    expect(ledger.position()).toBe(events.length);
  });

  it('is left alone where it is a database of somebody else', () => {
    const file = freshFile();
    const db = new Database(file);
    db.exec('CREATE TABLE customers (name TEXT)');
    db.close();
    expect(() => open({ file })).toThrow(refused('ledger_foreign'));
    expect(existsSync(`${file}.unreadable`)).toBe(false);
  });

  it('is refused where it cannot be a file', () => {
    const file = freshFile();
    writeFileSync(file, '');
    expect(() => openLedger({ file: join(file, 'below'), version: '1' })).toThrow(refused('ledger_unusable'));
  });

  it.each([
    ['a dossier', "UPDATE dossiers SET body = replace(body, '\"n1', '\"n2'), seal = seal + 1"],
    ['a dossier that is no JSON', "UPDATE dossiers SET body = '{'"],
  ])('says that it is corrupt where %s is not what was written', (_what, change) => {
    const file = folded();
    const db = new Database(file);
    db.exec(change);
    db.close();
    const ledger = open({ file });
    expect(() => ledger.dossier(story.run)).toThrow(refused('ledger_corrupt'));
    ledger.clear();
    ledger.fold(events);
    expect(ledger.dossier(story.run)?.position).toBe(events.length);
  });

  it('says that it is corrupt, renames itself and begins anew where a contract is not what was written', () => {
    const file = folded();
    const db = new Database(file);
    db.exec('UPDATE contracts SET seal = seal + 1');
    db.close();
    const ledger = open({ file });
    expect(ledger.opened).toBe('unreadable');
    expect(ledger.position()).toBe(0);
  });

  it('holds no text of a source', () => {
    const secret = 'a-secret-that-nobody-needs-here';
    const file = freshFile();
    const ledger = open({ file });
    ledger.fold(withHeaders(stored(runStory({ text: secret }).repaired())));
    ledger.close();
    expect(readFileSync(file).includes(secret)).toBe(false);
  });
});
