export { openAudit } from "./audit.ts";
export type { Audit, AuditOptions } from "./audit.ts";
export type { AuditEntry, AuditLine } from "./audit-entry.ts";
export type { Caller, DoorKind } from "./caller.ts";
export { createCatalog } from "./catalog.ts";
export type { Catalog, CatalogOptions } from "./catalog.ts";
export type { CatalogPrompt, CatalogTool } from "./catalog-tool.ts";
export { openApprovals } from "./guard/approvals.ts";
export type { Approvals, ApprovalsOptions } from "./guard/approvals.ts";
export type { Approval, ApprovalsFile, WaitingCall } from "./guard/approvals-file.ts";
export { createAskers } from "./guard/askers.ts";
export type { ApprovalQuestion, Asker, Askers } from "./guard/askers.ts";
export { createGuard } from "./guard/guard.ts";
export type { Guard, GuardOptions } from "./guard/guard.ts";
export { judgeCall } from "./guard/judge-call.ts";
export type { CallFacts, Judgement } from "./guard/judge-call.ts";
export { pinDiff } from "./guard/pin-diff.ts";
export { openPins } from "./guard/pins.ts";
export type { Pins, PinsOptions } from "./guard/pins.ts";
export type { Pin } from "./guard/pins-file.ts";
export { narrowNames } from "./narrow-names.ts";
export type { NarrowNames } from "./narrow-names.ts";
export type { Choice, Opinion, Verdict } from "./opinion.ts";
export { readAudit } from "./read-audit.ts";
export type { ReadAuditOptions } from "./read-audit.ts";
export type {
  CallContext,
  CompletionSource,
  OpinionSource,
  PromptSource,
  ResourceSource,
  Source,
  ToolSource,
  Unsubscribe,
} from "./tool-source.ts";
export type { CatalogChange, FoundCompletion, View, ViewFilter, ViewOptions } from "./view.ts";
