import type { Plan } from "./observe.ts";

const ada = { name: "Ada", entityType: "person", observations: ["likes engines"] };
const engine = { name: "Engine", entityType: "machine", observations: [] };
const builds = { from: "Ada", to: "Engine", relationType: "describes" };

/** Every tool and resource of the server «memory». */
export const memoryPlan: Plan = {
  calls: [
    ["read_graph", {}],
    ["create_entities", { entities: [ada, engine] }],
    ["create_entities", { entities: [ada] }],
    ["create_relations", { relations: [builds] }],
    ["add_observations", { observations: [{ entityName: "Ada", contents: ["writes 📝 notes"] }] }],
    ["add_observations", { observations: [{ entityName: "Nobody", contents: ["x"] }] }],
    ["search_nodes", { query: "engine" }],
    ["open_nodes", { names: ["Ada"] }],
    ["delete_observations", { deletions: [{ entityName: "Ada", observations: ["likes engines"] }] }],
    ["delete_relations", { relations: [builds] }],
    ["delete_entities", { entityNames: ["Engine"] }],
    ["read_graph", {}],
  ],
  mistakes: [["open_nodes", { names: "Ada" }]],
  uris: ["memory://none"],
};
