import { useSignal } from "@preact/signals";
import type { ServerStatus } from "../../../../src/sources/servers/server-status.ts";
import { servers } from "../../hub/shared.ts";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Icon } from "../../parts/icon.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { serverWords, Shape } from "../../parts/state-mark.tsx";
import { plural, visible } from "../../parts/words.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { Link, pathTo, query, setQuery } from "../../router/route.tsx";
import type { PageProps } from "../page-table.ts";
import { AddServer } from "./add-server.tsx";
import { ImportServers } from "./import-servers.tsx";
import { ServerDetail } from "./server-detail.tsx";

/** What is connected, and why isn't this one? */
export function ServersPage({ rest: [chosen] }: PageProps) {
  return (
    <Loaded from={servers}>
      {(list) =>
        list.length === 0 && chosen === undefined ? (
          <NoServers />
        ) : (
          <div class={`split${chosen === undefined ? "" : " has-detail"}`}>
            <ServerList list={list} chosen={chosen} />
            <div class="detail">
              <Chosen list={list} chosen={chosen} />
            </div>
          </div>
        )
      }
    </Loaded>
  );
}

function NoServers() {
  return (
    <Empty title="No servers yet">
      <p class="muted">
        A server is any MCP server: a command on this computer, or an address on the web. Its tools appear to all your
        clients, and every call passes the guard.
      </p>
      <div class="row row-wrap">
        <Link class="button button-main" to={`${pathTo("servers", "+add")}?by=url`}>
          Add by address
        </Link>
        <Link class="button" to={`${pathTo("servers", "+add")}?by=command`}>
          Add a command
        </Link>
        <Link class="button" to={`${pathTo("servers", "+add")}?by=json`}>
          Paste JSON
        </Link>
        <Link class="button" to={pathTo("servers", "+import")}>
          Import from other clients
        </Link>
      </div>
    </Empty>
  );
}

function Chosen({ list, chosen }: { readonly list: readonly ServerStatus[]; readonly chosen: string | undefined }) {
  if (chosen === "+add") return <AddServer />;
  if (chosen === "+import") return <ImportServers />;
  if (chosen === undefined) return <p class="muted">Choose a server to see its state, its tools and its log.</p>;
  const server = list.find(({ name }) => name === chosen);
  if (server !== undefined) return <ServerDetail key={server.name} server={server} />;
  return (
    <Empty title="There is no such server">
      <p class="muted">It may have been removed.</p>
      <Link class="button" to={pathTo("servers")}>
        All servers
      </Link>
    </Empty>
  );
}

interface ServerListProps {
  readonly list: readonly ServerStatus[];
  readonly chosen: string | undefined;
}

function ServerList({ list, chosen }: ServerListProps) {
  const words = useSignal(query.value.get("q") ?? "");
  const wanted = words.value.toLowerCase();
  const found = list.filter((server) =>
    [server.name, server.address, serverWords(server).word].some((text) => text.toLowerCase().includes(wanted)),
  );
  return (
    <div class="list-side">
      <div class="list-head">
        <SearchBox
          label="Search servers"
          value={words.value}
          onInput={(value) => {
            words.value = value;
            setQuery({ q: value });
          }}
        />
        <Link class="button" to={pathTo("servers", "+import")}>
          Import
        </Link>
        <Link class="button button-main" to={pathTo("servers", "+add")}>
          <Icon name="plus" size={14} /> Add
        </Link>
      </div>
      <VirtualList
        label="Servers"
        count={found.length}
        rowHeight={56}
        keyOf={(at) => found[at]?.name ?? ""}
        row={(at) => found[at] && <ServerItem server={found[at]} isChosen={found[at].name === chosen} />}
      />
      <div class="list-foot">
        {found.length === list.length
          ? plural(list.length, "server")
          : `${found.length} of ${plural(list.length, "server")}`}
      </div>
    </div>
  );
}

function ServerItem({ server, isChosen }: { readonly server: ServerStatus; readonly isChosen: boolean }) {
  const { tone, word } = serverWords(server);
  const isPlain = server.state === "ready" || server.state === "needs-sign-in";
  const why = isPlain ? undefined : (server.reason ?? server.lastError);
  return (
    <Link class="item" to={pathTo("servers", server.name)} aria-current={isChosen}>
      <Shape tone={tone} />
      <span class="two">
        <span class="name clip">{visible(server.name)}</span>
        <span class="small muted clip">
          {why === undefined ? `${word} · ${shortAddress(server.address)}` : `${word}: ${visible(why)}`}
        </span>
      </span>
      <span class="muted small num">{server.tools > 0 && plural(server.tools, "tool")}</span>
    </Link>
  );
}

/** What tells servers apart: the host, or the program with its arguments. */
function shortAddress(address: string): string {
  if (!address.startsWith("stdio://")) return visible(address.replace(/^https?:\/\//, ""));
  return visible(address.slice("stdio://".length).replaceAll(/(^| )\S*\/(?=\S)/g, "$1"));
}
