import { type ComponentChildren } from "preact";
import { type Block, type Inline, markdownBlocks } from "./markdown";
import { Plain } from "./text";

/** Markdown as elements of a closed list. Nothing in it can be followed: links are their text and their address. */
export function MarkdownView({ text }: { readonly text: string }) {
  return <Blocks blocks={markdownBlocks(text)} />;
}

function Blocks({ blocks }: { readonly blocks: readonly Block[] }) {
  return (
    <>
      {blocks.map((block, at) => (
        <OneBlock key={at} block={block} />
      ))}
    </>
  );
}

function OneBlock({ block }: { readonly block: Block }) {
  switch (block.kind) {
    case "heading":
      // The page's own headings are of the page: these are only large.
      return (
        <p class={`md-heading md-h${block.level}`}>
          <Inlines parts={block.children} />
        </p>
      );
    case "paragraph":
      return (
        <p>
          <Inlines parts={block.children} />
        </p>
      );
    case "code":
      return (
        <div class="md-code">
          {block.language !== "" && (
            <span class="md-language quiet">
              <Plain text={block.language} />
            </span>
          )}
          <pre>
            <Plain text={block.text} />
          </pre>
        </div>
      );
    case "quote":
      return (
        <blockquote>
          <Blocks blocks={block.children} />
        </blockquote>
      );
    case "rule":
      return <hr />;
    case "list": {
      const items = block.items.map((item, at) => (
        <li key={at}>
          <Blocks blocks={item} />
        </li>
      ));
      return block.ordered ? <ol start={block.start}>{items}</ol> : <ul>{items}</ul>;
    }
    case "table":
      return (
        <div class="md-table">
          <table>
            <thead>
              <tr>
                {block.head.map((cell, at) => (
                  <th key={at} scope="col">
                    <Inlines parts={cell} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, at) => (
                <tr key={at}>
                  {row.map((cell, col) => (
                    <td key={col}>
                      <Inlines parts={cell} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
  }
}

function Inlines({ parts }: { readonly parts: readonly Inline[] }) {
  return (
    <>
      {parts.map((part, at) => (
        <OneInline key={at} part={part} />
      ))}
    </>
  );
}

function OneInline({ part }: { readonly part: Inline }): ComponentChildren {
  switch (part.kind) {
    case "text":
      return <Plain text={part.text} />;
    case "code":
      return (
        <code>
          <Plain text={part.text} />
        </code>
      );
    case "strong":
      return (
        <strong>
          <Inlines parts={part.children} />
        </strong>
      );
    case "emphasis":
      return (
        <em>
          <Inlines parts={part.children} />
        </em>
      );
    case "link":
      return (
        <>
          <Plain text={`${part.image ? "🖼 " : ""}${part.text}`} />{" "}
          <span class="md-address">
            (<Plain text={part.address} />)
          </span>
        </>
      );
  }
}
