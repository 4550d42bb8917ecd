/// The least time in which healthy sensors can be provisioned by this radio, however well it is scheduled: expected
/// values of the model's physics, with the windows of listening that there must be. docs/radio-model.md derives it.
///
/// It is for sensors that every adapter hears well and that are there from the beginning.
public struct LowerBound: Hashable, Sendable {
  /// What a sensor's conversation asks of its link, one request after the other: the bearer carries one at a time.
  public struct Conversation: Hashable, Sendable {
    /// Subscriptions.
    public var subscriptions: Int
    /// Reads and confirmed writes before the last one.
    public var requests: Int
    /// From the last request's arrival until the sensor ends the link.
    public var lingering: Duration
    /// From the link's end until the sensor is on air as what it has become.
    public var restart: Duration

    /// A conversation.
    public init(subscriptions: Int, requests: Int, lingering: Duration, restart: Duration) {
      self.subscriptions = subscriptions
      self.requests = requests
      self.lingering = lingering
      self.restart = restart
    }

    /// A Robo Sensor's: it reads the status, writes SSID, password, room name and minor, and then `SAVE`.
    public static func roboSensor(in radio: RadioParameters) -> Self {
      Self(
        subscriptions: 1, requests: 5, lingering: RoboSensorFirmware.restartAfter,
        restart: mean(radio.restart))
    }
  }

  /// How an adapter divides its time between listening and calling.
  public struct Turns: Hashable, Sendable {
    /// How long it listens before the first call.
    public var survey: Duration
    /// How long it calls before it listens again.
    public var calling: Duration
    /// How long it then listens.
    public var window: Duration

    /// Turns.
    public init(survey: Duration, calling: Duration, window: Duration) {
      self.survey = survey
      self.calling = calling
      self.window = window
    }
  }

  private let radio: RadioParameters
  private let conversation: Conversation
  private let turns: Turns

  /// The bound of a radio, for one kind of sensor and one division of an adapter's time.
  public init(radio: RadioParameters, conversation: Conversation, turns: Turns) {
    self.radio = radio
    self.conversation = conversation
    self.turns = turns
  }

  /// From giving an adapter's one attempt to a sensor until the next may have it.
  public var connecting: Duration { Self.mean(radio.connectQueued) }

  /// How long a link stands.
  public var link: Duration {
    Self.mean(radio.resolve) + Self.mean(radio.subscribe) * conversation.subscriptions
      + Self.mean(radio.roundTrip) * conversation.requests + Self.mean(radio.roundTrip) / 2
      + conversation.lingering + Self.mean(radio.terminate)
  }

  /// For how long a window takes an adapter's calls from it.
  public var deafness: Duration { radio.discoveryStart + turns.window + radio.discoveryStop }

  /// How long a window keeps each slot empty. Conversations go on meanwhile; but calls are made one after the other, so
  /// that of those that went on at its beginning the last but `i` has begun `i` calls before it, and when it is over the
  /// slots are filled again one by one.
  public var emptiness: Duration {
    max(.zero, deafness + connecting * (radio.slotsPerAdapter - 1) - link)
  }

  /// From the beginning to the last proof.
  /// - Parameters:
  ///   - sensors: how many there are to be provisioned.
  ///   - adapters: over how many adapters, at least 1.
  public func makespan(of sensors: Int, on adapters: Int) -> Duration {
    precondition(adapters > 0)
    guard sensors > 0 else { return .zero }
    let share = (sensors + adapters - 1) / adapters
    return radio.discoveryStart + turns.survey + radio.discoveryStop
      + max(byConnecting(share), bySlots(share)) + conversation.restart + radio.advertisingInterval / 2
  }

  /// When the last of so many links has ended, if only the calls took time.
  private func byConnecting(_ sensors: Int) -> Duration {
    let calls = connecting * sensors
    return calls + deafness * windows(in: calls, each: turns.calling) + link
  }

  /// The same, if only the slots were few.
  private func bySlots(_ sensors: Int) -> Duration {
    let slots = min(radio.slotsPerAdapter, sensors)
    // The first calls are made one after the other, too.
    let busy = (connecting + link) * sensors / slots + connecting * (slots - 1) / 2
    return busy + emptiness * windows(in: busy, each: turns.calling + deafness - emptiness)
  }

  private func windows(in span: Duration, each turn: Duration) -> Int { Int(span / turn) }

  private static func mean(_ range: ClosedRange<Duration>) -> Duration {
    (range.lowerBound + range.upperBound) / 2
  }
}
