package import Reporting
package import VirtualBuilding

extension LowerBound {
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

  /// The bound for a radio, a kind of sensor, and a division of an adapter's time, by the expected values of the radio
  /// model.
  package init(radio: RadioParameters, session: SessionCost, turns: Turns) {
    self.init(
      connecting: Self.mean(radio.connectQueued),
      link: Self.mean(radio.firstExchange) + Self.mean(radio.resolve) + Self.mean(radio.subscribe)
        * session.subscriptions
        + Self.mean(radio.roundTrip) * session.requests + Self.mean(radio.roundTrip) / 2
        + session.lingering + Self.mean(radio.terminate),
      slots: radio.slotsPerAdapter, survey: radio.discoveryStart + turns.survey + radio.discoveryStop,
      proof: session.restart + radio.advertisingInterval / 2)
    calling = turns.calling
    deafness = radio.discoveryStart + turns.window + radio.discoveryStop
  }

  fileprivate static func mean(_ range: ClosedRange<Duration>) -> Duration {
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
