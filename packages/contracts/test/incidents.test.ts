import { describe, expect, it } from 'vitest';
import { encodeIncident, type Incident, incidentSubjectPrefix, isPlainReason } from '../src/index.js';

const incident: Incident = { service: 'projector', code: 'event_void', time: '2026-01-02T03:04:05.678Z' };
const read = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes));

it('an incident is published under its service and code', () => {
  expect(encodeIncident(incident).subject).toBe(`${incidentSubjectPrefix}projector.event_void`);
});

it('an incident carries the fields that it may have, and leaves out those that are absent', () => {
  const full = { ...incident, subject: 'stream.thought.judgment.r.c.1', sequence: 7, deliveries: 6, bytes: 12 };
  expect(read(encodeIncident(full).bytes)).toEqual(full);
  expect(read(encodeIncident(incident).bytes)).toEqual(incident);
});

it('whatever else is in hand does not travel', () => {
  const careless = { ...incident, error: 'CANARY', payload: { text: 'CANARY' }, cause: new Error('CANARY') };
  expect(new TextDecoder().decode(encodeIncident(careless).bytes)).not.toContain('CANARY');
  expect(read(encodeIncident(careless).bytes)).toEqual(incident);
});

it('equal incidents have equal bytes', () => {
  const turned = Object.fromEntries(Object.entries(incident).reverse()) as unknown as Incident;
  expect(encodeIncident(turned)).toEqual(encodeIncident(incident));
});

describe('what a person did', () => {
  const opened: Incident = {
    ...incident,
    service: 'operator',
    code: 'quarantine_opened',
    operator: 'keeper',
    reason: 'Ticket 12: "title"',
  };
  const plain = { ...opened, reason: 'Ticket 12: no title' };

  it('stands under their name, with their reason', () => {
    expect(encodeIncident(plain).subject).toBe(`${incidentSubjectPrefix}operator.quarantine_opened.keeper`);
    expect(read(encodeIncident(plain).bytes)).toEqual(plain);
  });

  it.each([
    ['a name that is no token', { ...plain, operator: 'keeper.other' }, 'operator'],
    ['no name', { ...plain, operator: '' }, 'operator'],
    ['a reason that is not plain', opened, 'reason'],
  ])('is refused with %s', (_what, wrong, place) => {
    expect(() => encodeIncident(wrong)).toThrow(expect.objectContaining({ code: 'incident_invalid', place }));
  });
});

it.each([
  ["Ticket 4711: why has the customer's note no title?", true],
  ['Überprüfung für das Team (Nr. 3)', true],
  ['ab', false],
  ['   ', false],
  ['two\nlines', false],
  ['a\u001b[31m', false],
  ['{"title":"x"}', false],
  ['<b>why</b>', false],
  ['a \u202e b c', false],
  ['x'.repeat(200), true],
  ['x'.repeat(201), false],
])('%j is a plain reason: %s', (text, plain) => {
  expect(isPlainReason(text)).toBe(plain);
});
