/// A lower bound of the time to provision healthy devices, under any schedule, with the scan windows that it needs.
/// docs/internals/radio-model.md derives it.
///
/// It applies to devices that their adapters receive well and that are present from the start.
package struct LowerBound: Hashable, Sendable {
  /// From the start of a connection attempt until the adapter can start the next.
  package var connecting: Duration
  /// From the connection until the link is down.
  package var link: Duration
  /// How many links an adapter holds at once.
  package var slots: Int
  /// From the start of the run to the first connection attempt.
  package var survey: Duration
  /// From the end of the last link to the proof of its device.
  package var proof: Duration
  /// How long an adapter connects before the next scan window.
  package var calling = Duration.seconds(23)
  /// How long a scan window prevents an adapter from connecting.
  package var deafness = Duration.milliseconds(1290)

  package init(connecting: Duration, link: Duration, slots: Int, survey: Duration, proof: Duration) {
    (self.connecting, self.link, self.slots) = (connecting, link, slots)
    (self.survey, self.proof) = (survey, proof)
  }

  /// How long a scan window leaves each slot empty. GATT sessions continue during the window. Connections are
  /// made one after the other: of the links at the start of the window, the last but `i` began `i`
  /// connections earlier, and after the window the slots fill up one by one.
  package var emptiness: Duration {
    // Slots that take longer to fill than a link lasts are not what limits the run.
    min(deafness, max(.zero, deafness + connecting * (slots - 1) - link))
  }

  /// The time from the start to the last proof.
  /// - Parameters:
  ///   - devices: The number of devices to provision.
  ///   - adapters: The number of adapters, at least 1.
  package func makespan(of devices: Int, on adapters: Int) -> Duration {
    precondition(adapters > 0)
    return devices > 0 ? survey + work(of: (devices + adapters - 1) / adapters) + proof : .zero
  }

  /// The time from an adapter's first connection attempt to the end of its last link.
  private func work(of devices: Int) -> Duration { max(byConnecting(devices), bySlots(devices)) }

  /// When the last link ends if only connecting takes time.
  private func byConnecting(_ devices: Int) -> Duration {
    let calls = connecting * devices
    return calls + deafness * windows(in: calls, each: calling) + link
  }

  /// When the last link ends if only the number of slots is limiting.
  private func bySlots(_ devices: Int) -> Duration {
    let slots = min(slots, devices)
    // The first connections are made one after the other too.
    let busy = (connecting + link) * devices / slots + connecting * (slots - 1) / 2
    return busy + emptiness * windows(in: busy, each: calling + deafness - emptiness)
  }

  private func windows(in span: Duration, each turn: Duration) -> Int { Int(span / turn) }
}
