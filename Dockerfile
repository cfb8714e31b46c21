# Hinterland as an ordinary user; stores live in the volume /data. EXTRAS: what is installed beside what a crawl needs
# (see `hinterland setup`); this image cannot add any later.
#
#   docker build -t hinterland .
#   docker build -t hinterland --build-arg EXTRAS=all .
#   docker run --rm -v hinterland:/data hinterland demo

FROM python:3.11-slim-bookworm AS wheel
WORKDIR /source
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.11-slim-bookworm
ENV PYTHONUNBUFFERED=1
ARG EXTRAS="topics serve research"
COPY requirements*.txt /tmp/
RUN for extra in $EXTRAS; do \
        pip install --no-cache-dir --require-hashes -r "/tmp/requirements-$extra.txt" || exit 1; \
    done
RUN useradd --create-home --uid 1000 hinterland && install -d -o hinterland -g hinterland /data
COPY --from=wheel /wheels /tmp/wheels
RUN pip install --no-cache-dir --no-deps --no-index /tmp/wheels/*.whl && rm -r /tmp/wheels
# The part in C, into the cache of the user; the compiler is not needed any more then.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends gcc libc6-dev \
    && HOME=/home/hinterland python -m hinterland.crawler.parsing.compiled \
    && chown -R hinterland:hinterland /home/hinterland/.cache \
    && apt-get purge -y --auto-remove gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
USER 1000:1000
WORKDIR /data
VOLUME /data
ENTRYPOINT ["hinterland"]
CMD ["--help"]
