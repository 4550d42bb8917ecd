package import VirtualBuilding

/// A lower bound of the time to provision healthy sensors with this radio under any schedule: expected values
/// of the radio model, including the necessary scan windows. docs/radio-model.md derives it.
///
/// It applies to sensors that every adapter receives well and that are present from the start.
package struct LowerBound: Hashable, Sendable {
  /// The load of one GATT session on its link. Requests are sequential, because the bearer carries one at a
  /// time.
  package struct SessionCost: Hashable, Sendable {
    package var subscriptions: Int
    /// The number of reads and confirmed writes before the last request.
    package var requests: Int
    /// From the arrival of the last request until the sensor ends the link.
    package var lingering: Duration
    /// From the end of the link until the sensor advertises its new state.
    package var restart: Duration

    package init(subscriptions: Int, requests: Int, lingering: Duration, restart: Duration) {
      self.subscriptions = subscriptions
      self.requests = requests
      self.lingering = lingering
      self.restart = restart
    }
  }

  /// How an adapter divides its time between scanning and connecting.
  package struct Turns: Hashable, Sendable {
    /// How long it scans before the first connection.
    package var survey: Duration
    /// How long it connects before the next scan window.
    package var calling: Duration
    /// The length of this scan window.
    package var window: Duration

    package init(survey: Duration, calling: Duration, window: Duration) {
      self.survey = survey
      self.calling = calling
      self.window = window
    }
  }

  private let radio: RadioParameters
  private let session: SessionCost
  private let turns: Turns

  /// Creates the bound for a radio, a kind of sensor, and a division of an adapter's time.
  package init(radio: RadioParameters, session: SessionCost, turns: Turns) {
    self.radio = radio
    self.session = session
    self.turns = turns
  }

  /// From the start of a connection attempt until the link is up: then the adapter can start the next.
  package var connecting: Duration { Self.mean(radio.connectQueued) }

  package var link: Duration {
    Self.mean(radio.firstExchange) + Self.mean(radio.resolve) + Self.mean(radio.subscribe)
      * session.subscriptions
      + Self.mean(radio.roundTrip) * session.requests + Self.mean(radio.roundTrip) / 2
      + session.lingering + Self.mean(radio.terminate)
  }

  /// How long a scan window prevents an adapter from connecting.
  package var deafness: Duration { radio.discoveryStart + turns.window + radio.discoveryStop }

  /// How long a scan window leaves each slot empty. GATT sessions continue during the window. Connections are
  /// made one after the other: of the links at the start of the window, the last but `i` began `i`
  /// connections earlier, and after the window the slots fill up one by one.
  package var emptiness: Duration {
    max(.zero, deafness + connecting * (radio.slotsPerAdapter - 1) - link)
  }

  /// The time from the start to the last proof.
  /// - Parameters:
  ///   - sensors: The number of sensors to provision.
  ///   - adapters: The number of adapters, at least 1.
  package func makespan(of sensors: Int, on adapters: Int) -> Duration {
    precondition(adapters > 0)
    guard sensors > 0 else { return .zero }
    let share = (sensors + adapters - 1) / adapters
    return radio.discoveryStart + turns.survey + radio.discoveryStop
      + max(byConnecting(share), bySlots(share)) + session.restart + radio.advertisingInterval / 2
  }

  /// When the last link ends if only connecting takes time.
  private func byConnecting(_ sensors: Int) -> Duration {
    let calls = connecting * sensors
    return calls + deafness * windows(in: calls, each: turns.calling) + link
  }

  /// When the last link ends if only the number of slots is limiting.
  private func bySlots(_ sensors: Int) -> Duration {
    let slots = min(radio.slotsPerAdapter, sensors)
    // The first connections are made one after the other too.
    let busy = (connecting + link) * sensors / slots + connecting * (slots - 1) / 2
    return busy + emptiness * windows(in: busy, each: turns.calling + deafness - emptiness)
  }

  private func windows(in span: Duration, each turn: Duration) -> Int { Int(span / turn) }

  static func mean(_ range: ClosedRange<Duration>) -> Duration {
    (range.lowerBound + range.upperBound) / 2
  }
}

extension LowerBound.SessionCost {
  /// The session of a Robo Sensor: it reads the status, writes SSID, password, room name and minor, and
  /// then `SAVE`.
  package static func roboSensor(in radio: RadioParameters) -> Self {
    Self(
      subscriptions: 1, requests: 5, lingering: RoboSensorFirmware.restartAfter,
      restart: LowerBound.mean(radio.restart))
  }
}
