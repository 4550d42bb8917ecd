public import Bluetooth

/// How the radio and its stack behave. The defaults were measured on BlueZ 5.66 with kernel 6.1 and three adapters, unless
/// a comment says otherwise. The model that they are the numbers of is docs/radio-model.md.
public struct RadioParameters: Hashable, Sendable {
  // MARK: Advertising

  /// From one advertisement of a sensor to its next, unless its firmware has an interval of its own; up to 10 ms of random delay come on top (Bluetooth Core,
  /// Vol 6 Part B 4.4.2.2).
  public var advertisingInterval: Duration = .milliseconds(100)
  /// Which advertisements of a device the controllers report to the host. Most real ones report each device once per
  /// scan, as the kernel asks them to.
  public var duplicates = DuplicateFilter.oncePerScan
  /// The kernel ends its scan by itself after this long, and bluetoothd starts the next one at once.
  public var scanDuration: Duration = .milliseconds(10240)
  /// What adapters receive of sensors without an interval of their own reaches the host in batches, so often: a part of
  /// a second [assumed: what the bus and the daemon collect before they tell]; zero: each by itself. With thousands of
  /// sensors, batches spare a simulation most of its waking up.
  public var reportGrain: Duration = .zero
  /// RSSI wanders by up to this many dB to either side, from each advertisement to the next.
  public var fading = 3
  /// From asking for discovery until it runs and says so.
  public var discoveryStart: Duration = .milliseconds(40)
  /// From asking for discovery's end until it is confirmed.
  public var discoveryStop: Duration = .milliseconds(50)
  /// How long the stack remembers a peripheral that it is not connected to, after discovery has stopped.
  public var objectLifetime: Duration = .seconds(30)

  // MARK: Strength

  /// What is received at one metre, dBm: what the sensors say in their own beacons. The radio lab has the same.
  public var atOneMetre: Double = -59
  /// The exponent of path loss without walls: 2 in free space [textbook], 2.2 in the radio lab.
  public var pathLossExponent: Double = 2.2
  /// From one partition wall to the next, in both directions, m [assumed: an ordinary room].
  public var wallSpacing: Double = 5
  /// What a light partition wall takes away, dB [textbook: COST 231, multi-wall model].
  public var wallLoss: Double = 3.4
  /// What a ceiling takes away, dB [textbook: COST 231, multi-wall model].
  public var floorLoss: Double = 18.3
  /// From one storey to the next, m [assumed].
  public var storeyHeight: Double = 3
  /// Standard deviation of what stands between two places for good (furniture, people's habits), dB. The radio lab's; it
  /// is drawn once for each sensor and adapter.
  public var shadowing: Double = 3
  /// The strength below which nothing is received, and no link is made, dBm. The radio lab loses every second packet
  /// at −93 dBm, one of a hundred at −86, all but one of a hundred at −100; data sheets of common chips say −90 to −97.
  public var sensitivity = -97
  /// So many dB above the sensitivity packets begin to be lost.
  public var marginal = 8

  // MARK: Connecting

  /// From asking for a link to having it, when nobody else is being connected.
  public var connect: ClosedRange<Duration> = .milliseconds(250)...(.milliseconds(380))
  /// The same for one that had waited in the adapter's queue.
  public var connectQueued: ClosedRange<Duration> = .milliseconds(130)...(.milliseconds(250))
  /// What it costs in addition when the same adapter discovers at that time.
  public var connectWhileDiscovering: ClosedRange<Duration> = .milliseconds(9900)...(.milliseconds(10350))
  /// How long one attempt at a peripheral that does not answer occupies the adapter, before the next in
  /// the queue has its turn. One that has been heard, but does not advertise again in this time, is given up.
  public var deadAttempt: Duration = .seconds(4)
  /// How long an attempt takes that fails at the link.
  public var connectFailure: Duration = .milliseconds(400)
  /// How long it takes to call an attempt off.
  public var cancelConnect: Duration = .milliseconds(20)
  /// Connections that an adapter can hold (field: 5 on common dongles).
  public var slotsPerAdapter = 5
  /// Below this RSSI (dBm) attempts begin to fail, by 10 % more per dB (the vendor's app warns at −85).
  public var weakBelow = -85

  // MARK: A link

  /// From the link being up to all services being resolved.
  public var resolve: ClosedRange<Duration> = .milliseconds(600)...(.milliseconds(800))
  /// How probable it is that some characteristics become visible only after the stack said "resolved".
  public var lateCharacteristics = 0.3
  /// By how much they are late at most.
  public var lateBy: Duration = .milliseconds(95)
  /// One request and its answer.
  public var roundTrip: ClosedRange<Duration> = .milliseconds(50)...(.milliseconds(90))
  /// Subscribing, which takes a request and the stack's own work.
  public var subscribe: ClosedRange<Duration> = .milliseconds(60)...(.milliseconds(170))
  /// The largest ATT packet in bytes.
  public var mtu = 247
  /// After this without an answer, the link is given up (Bluetooth Core, Vol 3 Part F 3.3.3).
  public var attTimeout: Duration = .seconds(30)
  /// What a peripheral that has never answered has, is then held to be known (nothing); its link ends this much later.
  public var muteLinkEnds: Duration = .seconds(2)
  /// Services that the stack keeps for itself: they are seen to be there, and cannot be used. Debian's bluetoothd does so
  /// with BLE-MIDI, unless it is told not to (`--noplugin=midi`).
  public var servicesOfTheStack: Set<BluetoothUUID> = []

  // MARK: A link's end

  /// A disconnect that we ask for; the link stays usable meanwhile.
  public var disconnect: ClosedRange<Duration> = .milliseconds(2000)...(.milliseconds(2800))
  /// Until the other side learns of an orderly disconnect: one connection interval.
  public var terminate: ClosedRange<Duration> = .milliseconds(30)...(.milliseconds(50))
  /// Until it learns that the other side is gone without a word.
  public var supervisionTimeout: Duration = .milliseconds(420)
  /// How long a sensor is off air when it restarts [assumed].
  public var restart: ClosedRange<Duration> = .milliseconds(1500)...(.seconds(3))

  /// The measured radio.
  public init() {}
}
