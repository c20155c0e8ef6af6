import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { toFault } from "../../../../src/core/fault.ts";
import { fetchMedia, type ShownBlock } from "../../hub/call-tool.ts";
import { Code } from "../../parts/blocks.tsx";
import { LinkOut } from "../../parts/link-out.tsx";
import { sizeText, visible } from "../../parts/words.tsx";

/** One part of a result. Texts are texts; media come from the hub as bytes and are shown as their type says. */
export function BlockView({ block }: { readonly block: ShownBlock }) {
  switch (block.type) {
    case "text":
      return <Code text={block.text} label="Text" />;
    case "image":
    case "audio":
      return <Media id={block.media} data={block.data} type={block.mimeType} />;
    case "resource": {
      const { uri, mimeType = "", text, blob } = block.resource;
      const media = block.media ?? (block.resource as { media?: string }).media;
      return (
        <figure>
          <figcaption class="small muted break">{visible(uri)}</figcaption>
          {text === undefined ? <Media id={media} data={blob} type={mimeType} /> : <Code text={text} label={uri} />}
        </figure>
      );
    }
    case "resource_link":
      return <LinkOut address={block.uri} label={block.title ?? block.name} />;
    default:
      return <Code text={JSON.stringify(block, undefined, 2)} label="A part of an unknown kind" />;
  }
}

/** What a browser shows without running anything in it. SVG is left out: it can hold scripts. */
const shown = /^(image\/(png|jpeg|gif|webp|avif|bmp)|audio\/[\w.+-]+|video\/[\w.+-]+)$/;

function Media({
  id,
  data,
  type,
}: {
  readonly id: string | undefined;
  readonly data: string | undefined;
  readonly type: string;
}) {
  const address = useSignal<string | undefined>(undefined);
  const about = useSignal("Loading…");
  useEffect(() => {
    let url: string | undefined;
    let isGone = false;
    void (async () => {
      try {
        const blob = id === undefined ? blobOf(data ?? "", type) : await fetchMedia(id, type);
        about.value = `${type}, ${sizeText(blob.size)}`;
        if (isGone || !shown.test(type)) return;
        url = URL.createObjectURL(blob);
        address.value = url;
      } catch (error) {
        about.value = toFault(error).message;
      }
    })();
    return () => {
      isGone = true;
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [id, data]);
  const src = address.value;
  return (
    <figure>
      {src !== undefined && type.startsWith("image/") && <img class="media" src={src} alt="Image of the result" />}
      {src !== undefined && type.startsWith("audio/") && <audio controls src={src} />}
      {src !== undefined && type.startsWith("video/") && <video class="media" controls src={src} />}
      <figcaption class="small muted">{visible(about.value)}</figcaption>
    </figure>
  );
}

function blobOf(base64: string, type: string): Blob {
  return new Blob([Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0))], { type });
}
