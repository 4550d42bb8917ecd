package import Bluetooth

/// The behaviour of the radio and its stack. The defaults were measured with BlueZ 5.66, kernel 6.1 and three
/// adapters, unless a comment says otherwise. docs/internals/radio-model.md describes the model.
package struct RadioParameters: Hashable, Sendable {
  // MARK: Advertising

  /// The advertising interval of sensors, unless their firmware defines one. A random delay of up to 10 ms is
  /// added (Bluetooth Core, Vol 6 Part B 4.4.2.2).
  package var advertisingInterval: Duration = .milliseconds(100)
  /// Which advertisements the controllers report to the host. Most real controllers report each device once
  /// per scan, as the kernel requests.
  package var duplicates = DuplicateFilter.oncePerScan
  /// The kernel's scan ends by itself after this time, and bluetoothd starts the next one at once.
  package var scanDuration: Duration = .milliseconds(10240)
  /// The interval at which received advertisements of sensors without their own interval reach the host in
  /// batches; a fraction of 1 s [assumed: the delay of the bus and the daemon]. Zero passes each on
  /// immediately. With thousands of sensors, batches make a simulation much faster.
  package var reportGrain: Duration = .zero
  /// The maximum deviation of the RSSI in dB, in both directions, from one advertisement to the next.
  package var fading = 3
  /// From the request for discovery until it runs.
  package var discoveryStart: Duration = .milliseconds(40)
  /// From the request to stop discovery until the confirmation.
  package var discoveryStop: Duration = .milliseconds(50)
  /// How long the stack keeps an unconnected peripheral after discovery has stopped.
  package var objectLifetime: Duration = .seconds(30)

  // MARK: Strength

  /// The strength at a distance of 1 m in dBm, as the sensors' beacons state. The radio lab uses the same
  /// value.
  package var atOneMetre: Double = -59
  /// The exponent of path loss without walls: 2 in free space [textbook], 2.2 in the radio lab.
  package var pathLossExponent: Double = 2.2
  /// The distance between partition walls in both directions, in m [assumed: an ordinary room].
  package var wallSpacing: Double = 5
  /// The loss of a light partition wall in dB [textbook: COST 231, multi-wall model].
  package var wallLoss: Double = 3.4
  /// The loss of a ceiling in dB [textbook: COST 231, multi-wall model].
  package var floorLoss: Double = 18.3
  /// The height of a storey in m [assumed].
  package var storeyHeight: Double = 3
  /// The standard deviation of permanent shadowing between two positions (furniture, for example), in dB. The
  /// value is the radio lab's; it is drawn once per sensor and adapter.
  package var shadowing: Double = 3
  /// The strength in dBm below which nothing is received and no link is possible. The radio lab loses 50 % of
  /// the packets at −93 dBm, 1 % at −86 dBm, 99 % at −100 dBm; data sheets of common chips state −90 to −97
  /// dBm.
  package var sensitivity = -97
  /// Packet loss begins this many dB above the sensitivity.
  package var marginal = 8

  // MARK: Connecting

  /// From the start of a connection attempt to the link when no other attempt is in progress (median of 70 recorded
  /// connections: 0.22 s).
  package var connect: ClosedRange<Duration> = .milliseconds(165)...(.milliseconds(285))
  /// The same for an attempt that waited in the adapter's queue.
  package var connectQueued: ClosedRange<Duration> = .milliseconds(130)...(.milliseconds(250))
  /// From the link to the end of the first exchange over it, when the stack confirms the connection (58 of 70 recorded
  /// connections: 67 to 127 ms, median 92). The adapter can make its next connection meanwhile.
  package var firstExchange: ClosedRange<Duration> = .milliseconds(70)...(.milliseconds(110))
  /// The additional duration while the same adapter is discovering.
  package var connectWhileDiscovering: ClosedRange<Duration> = .milliseconds(9900)...(.milliseconds(10350))
  /// How long an attempt to connect to a dead peripheral occupies the adapter before the next one in the
  /// queue starts. An attempt fails if the peripheral was received but does not advertise again within this
  /// time.
  package var deadAttempt: Duration = BlueZVersion.debian12.deadAttempt
  /// The duration of an attempt that fails in the link layer. The failure is found `firstExchange` later.
  package var connectFailure: Duration = .milliseconds(310)
  /// The number of connections that an adapter can hold (field experience: 5 with common dongles).
  package var slotsPerAdapter = 5
  /// The RSSI in dBm below which attempts begin to fail, by 10 % more per dB (the vendor's app warns at −85).
  package var weakBelow = -85

  // MARK: A link

  /// From the start of the link until all services are resolved.
  package var resolve: ClosedRange<Duration> = .milliseconds(600)...(.milliseconds(800))
  /// How probable it is that some characteristics become visible only after the stack reports "resolved": not
  /// in one of 65 recorded connections (Tests/TraceTests/Recordings). The fault `late_characteristics` has
  /// the 30 % of an overloaded computer.
  package var lateCharacteristics = 0.0
  /// By how much they are late at most.
  package var lateBy: Duration = .milliseconds(95)
  /// The duration of a request with its response.
  package var roundTrip: ClosedRange<Duration> = .milliseconds(50)...(.milliseconds(90))
  /// The duration of a subscription: a request and the stack's own work.
  package var subscribe: ClosedRange<Duration> = .milliseconds(60)...(.milliseconds(170))
  /// The duration of pairing [assumed].
  package var pairing: ClosedRange<Duration> = .milliseconds(300)...(.milliseconds(600))
  /// The link is ended if a message of pairing is not answered for this time (Bluetooth Core, Vol 3 Part H 3.4).
  package var pairingTimeout: Duration = .seconds(30)
  /// The largest ATT packet in bytes.
  package var mtu = 247
  /// The link is ended if a response takes longer than this (Bluetooth Core, Vol 3 Part F 3.3.3).
  package var attTimeout: Duration = .seconds(30)
  /// The services of a peripheral that never responds count as resolved (there are none); its link ends this
  /// much later.
  package var muteLinkEnds: Duration = .seconds(2)
  /// Services that the stack keeps for itself: they are visible but cannot be used. Debian's bluetoothd does
  /// this with BLE-MIDI, unless it runs with `--noplugin=midi`.
  package var servicesOfTheStack: Set<BluetoothUUID> = []

  // MARK: A link's end

  /// The duration of a disconnect by the host. The link can be used until its end.
  package var disconnect: ClosedRange<Duration> = .milliseconds(2000)...(.milliseconds(2800))
  /// The time until the other side learns of a normal disconnect: one connection interval.
  package var terminate: ClosedRange<Duration> = .milliseconds(30)...(.milliseconds(50))
  /// The time until the other side detects a link that was lost without a disconnect.
  package var supervisionTimeout: Duration = .milliseconds(420)
  /// How long a restarting sensor does not advertise [assumed].
  package var restart: ClosedRange<Duration> = .milliseconds(1500)...(.seconds(3))

  package init() {}
}

/// Which advertisements of a device a scanning controller reports to the host (`Filter_Duplicates`, Bluetooth
/// Core, Vol 4 Part E 7.8.11; the controller decides what counts as a duplicate).
package enum DuplicateFilter: Hashable, Sendable {
  /// One advertisement per device, type (connectable or not) and scan, whatever the later ones contain. A
  /// restart of the scan clears the controller's memory. The radio lab calls this chip `strict`.
  case oncePerScan
  /// Changed advertisements immediately, unchanged ones at most once per this interval.
  case every(Duration)
}
