import type { VoidCode } from '@emend/contracts';

/** The rules that an event of a run can break, each with its sentence. Codes are never reused for another meaning. */
export const faults = {
  run_mismatch: 'The run id is not the one that follows from its producer and reference.',
  foreign_producer: "It stands on a place of another producer than the run's own.",
  started_mismatch: "It does not name the run's own claim.",
  failure_mismatch: "It does not name the run's own failure.",
  contract_mismatch: 'It names another contract than the claim of the run.',
  evidence_mismatch: 'It names another agent or contract than the claim of the run.',
  request_mismatch: 'It does not name the request that stands before it.',
  claim_mismatch: 'It does not name the claim that stands before it.',
  repair_run_mismatch: 'It is not of the one repair run that its request permits.',
  contract_unknown: 'No contract of that id and version was declared before it.',
  contract_hash_differs: 'The contract declared under that id and version has another hash.',
  output_invalid: 'The output does not pass the contract.',
  chain_mismatch: 'The chain is not that of its authority and target.',
  chain_gap: 'A place of the chain before it was still free.',
  target_unknown: 'No valid output, proposal or run of that id stands before it.',
  supersedes_mismatch: 'It does not name exactly the active judgment of its chain.',
  retracts_mismatch: 'It does not retract exactly the active judgment of its chain.',
  verdict_target_mismatch: '`prefer` is about a run; every other verdict is about an output or a proposal.',
  prefer_invalid: '`prefer` does not name two different valid outputs of the run.',
  replacement_missing: '`correct` has no replacement.',
  replacement_invalid: 'The replacement does not pass the contract of the run.',
} as const;

/** Why an event has no effect: it cannot be read, or it breaks a rule of its place. */
export type FaultCode = VoidCode | keyof typeof faults;
