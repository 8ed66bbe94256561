import { test } from 'vitest';
import { z } from 'zod';
import { checkDiagnostic } from '../src/index.js';
import { runFailedSchema, sourceCapturedSchema } from '../src/events/data.js';
test('x', () => {
  const d = JSON.parse('{"class":"invalid_json","contract":{"id":"a","version":1,"hash":"' + 'a'.repeat(64) + '","__proto__":{"x":"secret"}},"issues":[],"issueCount":0,"candidateBytes":1,"__proto__":{"x":"secret"}}');
  console.log(checkDiagnostic(d));
  const l = z.looseObject({ class: z.string() }).parse(d);
  console.log(Object.keys(l), Object.getPrototypeOf(l) === Object.prototype, (l as any).x);
  console.log(z.strictObject({ a: z.int() }).safeParse(JSON.parse('{"a":1,"__proto__":1}')).success);
  const s = z.unknown().refine((v) => v !== undefined) as unknown as z.ZodType<z.core.util.JSONType>;
  console.log(JSON.stringify(z.toJSONSchema(z.object({ o: s, p: s.optional() }))), z.object({ o: s }).safeParse({}).success);
  console.log(JSON.stringify(z.toJSONSchema(sourceCapturedSchema, { io: 'input' })));
  console.log(JSON.stringify(z.toJSONSchema(sourceCapturedSchema, { io: 'output' })));
  const o = { a: 1 }; const deep: any = {}; 
  try { console.log(z.json().safeParse(JSON.parse('['.repeat(30000) + ']'.repeat(30000))).success); } catch (e) { console.log('THROWS', String(e).slice(0, 80)); }
});
