import { expect, it } from 'vitest';
import { encodeIncident, type Incident, incidentSubjectPrefix } from '../src/index.js';

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
