import { placeOf, readEvent, runOfPlace, type ThoughtEvent } from '@emend/contracts';
import { type Dossier, emptyDossier, evolveDossier, FactsSoFar } from '@emend/history';
import type { EventLog } from '@emend/log';
import { observerId, sourceSubject } from './observers.js';
import type { RecordedAnswer } from './samples.js';

/** The demo's own fold of the whole log, apart from the services': what the story counts and what the view is compared with. */
export class FoldedLog {
  readonly dossiers = new Map<string, Dossier>();
  readonly events: ThoughtEvent[] = [];
  readonly #facts = new FactsSoFar();
  #next = 1;

  /** The run that a recorded answer became: the runner's, or the one that was ingested under the answer's id. */
  runOf(answer: RecordedAnswer): Dossier | undefined {
    const [trigger, agent] = [sourceSubject(answer.note), observerId(answer)];
    const event = this.events.find(
      (one) =>
        one.name === 'runStarted' &&
        (one.data.reference === answer.id || (one.data.trigger === trigger && one.data.agent.id === agent)) &&
        one.data.role === 'standard',
    );
    return event?.name === 'runStarted' ? this.dossiers.get(event.data.run) : undefined;
  }

  /** Folds what was stored since the last call. */
  async catchUp(log: EventLog): Promise<void> {
    const to = await log.lastSequence();
    if (to < this.#next) return;
    for await (const stored of log.read({ from: this.#next, to })) {
      this.#next = stored.sequence + 1;
      const read = readEvent(stored);
      if (read.kind === 'unknown_version') throw new Error('the log holds events of a newer writer');
      if (read.kind === 'event') {
        this.events.push(read.event);
        this.#facts.learn(read.event);
      }
      const place = placeOf(stored.subject);
      const run = place && runOfPlace(place);
      if (run) {
        const dossier = this.dossiers.get(run) ?? emptyDossier(run);
        this.dossiers.set(run, evolveDossier(dossier, { subject: stored.subject, sequence: stored.sequence, read }, this.#facts));
      }
    }
  }
}
