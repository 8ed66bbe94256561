/** What stays the same over all versions of a proposal, and which version this is (A43, A47). */
export interface Lineage {
  /** The request-local reference of the proposal as the model first made it: `p1` for the first of its reply, then `p2` and so on. */
  readonly root: string;
  /** 1 as first proposed, one more for each revision. */
  readonly version: number;
}

/** One version of one proposal: the unit of validation and repair (A5). What a proposal is, the host says. */
export interface Candidate<P> {
  readonly lineage: Lineage;
  readonly proposal: P;
}

/** The proposals of one reply, in its order. Equal ones stay two (A6). */
export const firstCandidates = <P>(proposals: readonly P[]): readonly Candidate<P>[] =>
  proposals.map((proposal, index) => ({ lineage: { root: `p${index + 1}`, version: 1 }, proposal }));

export const revisionOf = <P>({ lineage }: Candidate<P>, proposal: P): Candidate<P> => ({
  lineage: { root: lineage.root, version: lineage.version + 1 },
  proposal,
});
