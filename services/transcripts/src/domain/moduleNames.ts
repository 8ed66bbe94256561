/** The stages, in the order in which a section goes through them (A16). */
export const moduleNames = ['glossary', 'homophones', 'spoken_word', 'grammar'] as const;
export type ModuleName = (typeof moduleNames)[number];
