# The image of agent-controller: the program, its libraries, trust anchors, and nothing else.
FROM debian:bookworm AS build
WORKDIR /src
COPY ci/setup ci/words ci/
RUN ci/setup --build
COPY . .
RUN ci/build release agent-controller && ci/image-root build/bin/agent-controller /image

FROM scratch
ARG VERSION=unknown
LABEL org.opencontainers.image.title="agent-controller" \
      org.opencontainers.image.description="Runs AI agents as Kubernetes Jobs" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /image/ /
USER 1000:1000
EXPOSE 8081
ENTRYPOINT ["/usr/bin/agent-controller"]
