import { Component, type ReactNode } from 'react';

interface Props {
  /** Another page is tried anew. */
  readonly address: string;
  readonly children: ReactNode;
}

/** What is left of a page whose part cannot be drawn: its file is gone after an update, or it has a mistake. */
export class Boundary extends Component<Props, { readonly reason: string | undefined }> {
  override readonly state: { readonly reason: string | undefined } = { reason: undefined };

  static getDerivedStateFromError(error: unknown): { readonly reason: string } {
    return { reason: error instanceof Error ? error.message : String(error) };
  }

  override componentDidUpdate({ address }: Props): void {
    if (address !== this.props.address && this.state.reason !== undefined) this.setState({ reason: undefined });
  }

  override render(): ReactNode {
    if (this.state.reason === undefined) return this.props.children;
    return (
      <div className="callout callout-err" role="alert">
        <strong>This part of the page cannot be shown.</strong>
        <p>{this.state.reason}</p>
        <p>The page may have been updated, or the connection was cut while a file was loaded.</p>
        <button type="button" onClick={() => location.reload()}>
          Reload the page
        </button>
      </div>
    );
  }
}
