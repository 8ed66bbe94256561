# The base of the images of the repair agent and the runner: BASE, and the two programs that start a sandboxed worker. A file
# of its own, because this is the one step that may reach a network (Debian's archive) and it is the same for every version of
# the code: the images themselves are built without one. A base that brings both programs is taken as it is, where nothing can
# be reached.
#
# bubblewrap comes from the archive and not from the machine that builds: it then fits the libraries of the image, and is
# updated with them. It must not be setuid; Debian's is not, and the service's `no-new-privileges` would void the bit.
ARG BASE=node:20-slim

FROM ${BASE}
USER root
RUN { command -v bwrap && command -v prlimit; } || \
  { apt-get update && apt-get install -y --no-install-recommends bubblewrap util-linux && rm -rf /var/lib/apt/lists/*; }
# An engine mounts /proc/sys read-only, and bubblewrap would have to write there (docs/sandbox.md).
ENV EMEND_SANDBOX_NESTED_NAMESPACES=filtered
