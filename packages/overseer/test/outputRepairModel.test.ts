import { catalogueOf } from '@emend/model';
import { describe, expect, it } from 'vitest';
import { outputRepairCatalogue, readOutputRepairModel } from '../src/index.js';

describe('the setting outputRepairModel (O22)', () => {
  it.each([
    ['absent', {}, null],
    ['null', { outputRepairModel: null }, null],
    ['empty', { outputRepairModel: '' }, null],
    ['blank', { outputRepairModel: ' \t' }, null],
    ['named', { outputRepairModel: ' org/Big ' }, 'org/Big'],
    ['under its alias', { output_repair_model: 'org/Big' }, 'org/Big'],
    ['a blank beside its alias', { outputRepairModel: '', output_repair_model: 'org/Big' }, 'org/Big'],
    ['twice the same', { outputRepairModel: 'org/Big', output_repair_model: 'org/Big ' }, 'org/Big'],
  ])('%s: %j is %s', (_, settings, expected) => {
    expect(readOutputRepairModel(settings)).toBe(expected);
  });

  it.each([
    ['output_repair_model_twice', { outputRepairModel: 'CANARYa', output_repair_model: 'CANARYb' }],
    ['output_repair_model_invalid', { output_repair_model: { CANARY: 1 } }],
  ])('%s, without the value', (code, settings) => {
    const read = () => readOutputRepairModel(settings);
    expect(read).toThrow(expect.objectContaining({ code, message: expect.not.stringContaining('CANARY') }));
  });
});

describe('the model that repairs', () => {
  const catalogue = catalogueOf({
    primary: { provider: 'p', baseUrl: 'https://host/v1', keyFile: '/keys/p', model: 'small' },
    other: { provider: 'q', baseUrl: 'https://other/v1', model: 'm' },
  });

  it('is another model of the same entry: provider, address and key stay (O3, O23, O24, O36)', () => {
    const { tiers, digest } = outputRepairCatalogue(catalogue, 'primary', 'large');
    expect(tiers).toEqual({ ...catalogue.tiers, primary: { ...catalogue.tiers['primary'], model: 'large' } });
    expect(digest).toBe(catalogue.digest);
  });

  it('is the originating one where none is named', () => {
    expect(outputRepairCatalogue(catalogue, 'primary', null)).toBe(catalogue);
    expect(outputRepairCatalogue(catalogue, 'absent', 'large')).toBe(catalogue);
  });
});
