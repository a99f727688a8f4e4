/**
 * LangGraph with its Postgres saver: a library that saves a checkpoint after each step of a graph.
 * An approval is a graph whose one node interrupts itself. `invoke` returns when its checkpoints are
 * saved.
 */
import { DECISION, type Peer, type PeerOptions, type ToolArguments } from './peer.ts';

interface State {
  readonly call: ToolArguments;
  readonly decision: unknown;
}

interface Thread {
  readonly configurable: { readonly thread_id: string };
}

interface Graph {
  invoke(input: unknown, thread: Thread): Promise<unknown>;
  getState(thread: Thread): Promise<{ readonly values: Partial<State> }>;
}

interface GraphBuilder {
  addNode(name: string, node: (state: State) => Partial<State>): this;
  addEdge(from: string, to: string): this;
  compile(options: { checkpointer: unknown }): Graph;
}

/** What an approval needs of `@langchain/langgraph`. */
interface Library {
  readonly Annotation: (() => unknown) & { Root(channels: Record<keyof State, unknown>): unknown };
  readonly StateGraph: new (state: unknown) => GraphBuilder;
  readonly Command: new (options: { resume: string }) => unknown;
  readonly START: string;
  readonly END: string;
  /** Ends the call of `invoke`; in the resumed one it returns the value that came. */
  interrupt(question: unknown): unknown;
}

/** What it needs of `@langchain/langgraph-checkpoint-postgres`. */
interface Savers {
  readonly PostgresSaver: { fromConnString(url: string): { setup(): Promise<void> } };
}

export async function startLangGraph({ load, databaseUrl }: PeerOptions): Promise<Peer> {
  const library = load('@langchain/langgraph') as Library;
  const { Annotation, Command, END, START, StateGraph } = library;
  const { PostgresSaver } = load('@langchain/langgraph-checkpoint-postgres') as Savers;
  const checkpointer = PostgresSaver.fromConnString(databaseUrl);
  await checkpointer.setup();
  const graph = new StateGraph(Annotation.Root({ call: Annotation(), decision: Annotation() }))
    .addNode('ask', ({ call }) => ({ decision: library.interrupt(call) }))
    .addEdge(START, 'ask')
    .addEdge('ask', END)
    .compile({ checkpointer });
  return {
    servers: {},
    approve: async (id, call) => {
      const thread = { configurable: { thread_id: id } };
      await graph.invoke({ call }, thread);
      await graph.invoke(new Command({ resume: DECISION }), thread);
      return (await graph.getState(thread)).values.decision;
    },
  };
}
